/* Deputy, the element deputy-verify. Made from web/widget and web/capture by `node web/build.ts`. */
var q="deputy-pcm";function se(){let{AudioWorkletProcessor:e,registerProcessor:n}=globalThis;e===void 0||n===void 0||n(q,class extends e{#n=new Float32Array(
512);#e=0;process([t]){let r=t?.[0];return r===void 0||(this.#n.set(r,this.#e),this.#e+=r.length,this.#e<512)||(this.port.
postMessage(this.#n,[this.#n.buffer]),this.#n=new Float32Array(512),this.#e=0),!0}})}var w=class extends Error{problem;constructor(n){super(n),this.problem=n}},kn=640,Sn=480;async function ae(e){if(!isSecureContext)
throw new w("denied_insecure");let n=navigator.mediaDevices;if(n?.getUserMedia===void 0||globalThis.AudioContext===void 0)
throw new w("unsupported");let t=await n.getUserMedia(xn(e)).catch(async a=>{throw new w(await Tn(a,e))}),r=await n.enumerateDevices().
catch(()=>[]),o=a=>r.filter(s=>s.kind===a&&s.deviceId!=="").map(({deviceId:s,label:d})=>({device_id:s,label:d})),[i]=t.getVideoTracks();
return{stream:t,cameras:o("videoinput"),microphones:o("audioinput"),camera_id:i?.getSettings().deviceId,microphone_id:t.
getAudioTracks()[0]?.getSettings().deviceId,video_label:i?.label??""}}function xn({camera_id:e,microphone_id:n,with_sound:t}){
return{video:{width:kn,height:Sn,facingMode:"user",...e&&{deviceId:e}},audio:t&&{...{echoCancellation:!1,noiseSuppression:!1,
autoGainControl:!1,channelCount:1},...n&&{deviceId:n}}}}async function Tn(e,n){let{name:t,message:r}=e instanceof Error?
e:{name:"",message:""};return t==="NotFoundError"||t==="OverconstrainedError"?Mn(n):t==="NotReadableError"||t==="AbortEr\
ror"?"busy":t==="TypeError"?"unsupported":En()?"denied_policy":/system/i.test(r)?"denied_system":await An()?"denied_quer\
y":"denied_plain"}async function Mn({with_sound:e}){let n=await navigator.mediaDevices.enumerateDevices().catch(()=>[]);
return e&&n.some(({kind:t})=>t==="videoinput")?"absent_microphone":"absent"}function En(){let{featurePolicy:e}=document;
return e?.allowsFeature("camera")===!1||e?.allowsFeature("microphone")===!1}async function An(){let e=async n=>(await navigator.
permissions.query({name:n})).state;try{return(await Promise.all([e("camera"),e("microphone")])).includes("denied")}catch{
return!1}}function de(e,n){let t=matchMedia("(prefers-reduced-motion: reduce)").matches;return{screen:{name:"loading"},language:e,
is_elsewhere:n,wants_less_motion:t,accommodations:new Set(t?["no_flash"]:[]),wants_sound:!0,reads_aloud:!1,steps_done:0,
has_slow_line:!1,confirmed:{}}}function S(e){e.media?.close(),e.media=void 0}function W({summary:e}){return e!==void 0&&
e.provider!=="builtin"}var ce={answer_late:{type:"interrupted",why:"slow"},answer_early:{type:"interrupted",why:"interrupted"},step_mismatch:{type:"\
interrupted",why:"interrupted"},media_invalid:{type:"interrupted",why:"retry"},engine_busy:{type:"interrupted",why:"engi\
ne"},engine_unavailable:{type:"interrupted",why:"engine"},rate_limited:{type:"interrupted",why:"engine"},session_unknown:{
type:"failed",code:"unknown"},session_taken:{type:"failed",code:"taken"},nonce_mismatch:{type:"failed",code:"unknown"},verification_locked:{
type:"failed",code:"locked"},not_enrolled:{type:"failed",code:"not_enrolled"},cross_site_request:{type:"failed",code:"bl\
ocked"}},le={expired:"expired",judged:"used",cancelled:"cancelled"};function U({code:e,state:n=""},t){return e==="sessio\
n_closed"?n==="expired"&&t?{type:"interrupted",why:"timeout"}:{type:"failed",code:Object.hasOwn(le,n)?le[n]??"other":"ot\
her"}:(Object.hasOwn(ce,e)?ce[e]:void 0)??{type:"failed",code:"other"}}function ue(e){return e==="open"?{type:"failed",code:"\
taken"}:U({code:"session_closed",state:e},!1)}var Cn=["done","failed","cancelled"],Pn=["framing","opening","prepare","recording","sending"];function j({name:e}){return Cn.
includes(e)}function E({name:e}){return Pn.includes(e)}function pe(e,n){return j(e)?e:n.type==="cancel"?{name:"cancelled"}:
n.type==="failed"?{name:"failed",code:n.code,reasons:n.reasons??[]}:n.type==="interrupted"?e.name==="consent"?e:{name:"r\
etry",why:n.why,reasons:n.reasons??[]}:Wn(e,n)??e}function Wn(e,n){switch(n.type){case"described":return e.name==="loadi\
ng"?{name:"consent"}:void 0;case"accepted":return e.name==="consent"?{name:"devices"}:void 0;case"accepted_external":return e.
name==="consent"?{name:"opening"}:void 0;case"devices_ready":return e.name==="devices"?{name:"framing"}:void 0;case"devi\
ces_failed":return e.name==="devices"||E(e)?{name:"devices",problem:n.problem}:void 0;case"start":return e.name==="frami\
ng"?{name:"opening"}:void 0;case"opened_external":return e.name==="opening"?{name:"provider"}:void 0;case"choose_device":
return e.name==="framing"?{name:"devices"}:void 0;case"again":return e.name!=="retry"&&e.name!=="devices"?void 0:{name:n.
is_described?"devices":"loading"};default:return Ln(e,n)}}function Ln(e,n){switch(n.type){case"revealed":return e.name===
"opening"||e.name==="sending"?{name:"prepare",step:n.step,reasons:n.reasons}:void 0;case"started":return e.name==="prepa\
re"?{...e,name:"recording"}:void 0;case"recorded":return e.name==="recording"?{name:"sending",step:e.step}:void 0;case"s\
ending_trouble":return e.name==="sending"?Dn(e.step,n.trouble):void 0;case"answered":return e.name==="sending"||e.name===
"provider"?{name:n.passkey_required?"passkey":"finishing"}:void 0;case"confirmed":return e.name==="passkey"?{name:"finis\
hing"}:void 0;case"passkey_failed":return e.name==="passkey"?{name:"passkey",problem:n.problem}:void 0;case"judged":return e.
name==="finishing"?{name:"done"}:void 0;default:return}}function Dn(e,n){return n===void 0?{name:"sending",step:e}:{name:"\
sending",step:e,trouble:n}}var b=class extends Error{code;state;retry_after_s;constructor({code:n,detail:t,state:r},o){super(typeof t=="string"?t:""),
this.code=typeof n=="string"?n:"",this.state=typeof r=="string"?r:void 0,this.retry_after_s=o===null?void 0:Number(o)}},
T=class extends Error{};function x(e,n,t){return me("POST",e,JSON.stringify(n),t)}function me(e,n,t,{signal:r,onShare:o}){
return new Promise((i,a)=>{r.throwIfAborted();let s=new XMLHttpRequest;s.open(e,n),s.responseType="json",t!==null&&s.setRequestHeader(
"content-type","application/json"),o!==void 0&&(s.upload.onprogress=({loaded:d,total:l})=>o(d/l)),r.addEventListener("ab\
ort",()=>s.abort(),{once:!0}),s.onabort=()=>a(r.reason),s.onerror=()=>a(new T),s.onload=()=>{let{status:d,response:l}=s;
if(l===null||typeof l!="object")return a(new T);if(d>=200&&d<300)return i(l);a(new b(l,s.getResponseHeader("retry-after")))},
s.send(t)})}var On=["en","de"];function fe({base_url:e,session_id:n,client_token:t,transfer_code:r}){let o=s=>`${e}/v1/v\
at/auth/${s}`,i=s=>o(`sessions/${encodeURIComponent(n)}/${s}`),a=t===void 0?{transfer_code:r}:{client_token:t};return{consent:s=>me(
"GET",o("consent"),null,s),describe:s=>x(i("preview"),a,s),open:({nonce:s,consent_version:d,accommodations:l,language:u},g)=>x(
i("open"),{...s===void 0?a:{nonce:s},consent:{version:d},accommodations:l,...On.includes(u)&&{locale:u}},g),answer:({nonce:s},{
step_id:d},l,u)=>x(i("steps"),{nonce:s,step_id:d,...l},u),passkey:({nonce:s},d)=>x(i("passkey"),{nonce:s},d),finish:({nonce:s,
purpose:d},l,u)=>x(o(d==="enroll"?"enroll":"capture"),{session_id:n,nonce:s,...l},u),cancel:(s,d)=>x(i("cancel"),t===void 0?
{nonce:s?.nonce}:{client_token:t},d),watch:(s,d)=>x(i("watch"),{client_token:t,...s!==void 0&&{after:s}},d),collect:s=>x(
i("collect"),{client_token:t},s)}}var Rn=/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu,Hn=/(?<=\p{M}{4})\p{M}/gu,Fn=/[\p{L}\p{M}\p{N}]+/gu,
ge=/[^\x20-\x7e]/,he=[["Latin"],["Han","Hiragana","Katakana","Bopomofo","Hangul"],...["Cyrillic","Greek","Armenian","Geo\
rgian","Hebrew","Arabic","Ethiopic"].map(e=>[e]),...["Devanagari","Bengali","Gurmukhi","Gujarati","Tamil","Telugu","Kann\
ada"].map(e=>[e]),...["Malayalam","Sinhala","Thai","Lao","Myanmar","Khmer"].map(e=>[e])].map(e=>new RegExp(`^[\\p{scx=Com\
mon}${e.map(n=>`\\p{scx=${n}}`).join("")}]$`,"u"));function ye(e){return ge.test(e)?e.toWellFormed().replaceAll(Rn,$).replaceAll(
Hn,$).replaceAll(Fn,In):e}function $(e){return`\u27E8U+${e.codePointAt(0)?.toString(16).toUpperCase().padStart(4,"0")}\u27E9`}
function In(e){if(!ge.test(e))return e;let n=[...e].filter(r=>/\p{L}/u.test(r));if(n.length===0||he.some(r=>n.every(o=>r.
test(o))))return e;let t=he.find(r=>n.some(o=>r.test(o)));return[...e].map(r=>!/\p{L}/u.test(r)||t?.test(r)?r:$(r)).join(
"")}function c(e,n={},...t){let r=document.createElement(e);return n.class!==void 0&&(r.className=n.class),be(r,n.attributes??
{}),n.onClick!==void 0&&r.addEventListener("click",n.onClick),r.append(...t.filter(o=>o!==void 0&&o!==!1)),r}var Vn="htt\
p://www.w3.org/2000/svg";function A(e,n,...t){let r=document.createElementNS(Vn,e);return be(r,n),r.append(...t),r}function p(e){
return ye(e)}function be(e,n){for(let[t,r]of Object.entries(n))r!==void 0&&r!==!1&&e.setAttribute(t,r===!0?"":String(r))}var _e={title_verify:"Best\xE4tige, dass du es bist",title_enroll:"Gesicht und Stimme registrieren",loading:"Einen Momen\
t\u2026",cancel:"Abbrechen",again:"Noch einmal",sound_on:"Ton an",sound_off:"Ton aus",consent_asked_by:"{name} bittet di\
ch zu best\xE4tigen, dass du es bist.",consent_asked:"Du wirst gebeten zu best\xE4tigen, dass du es bist.",consent_enroll:"\
Beim n\xE4chsten Mal zeigt ein kurzer Blick in die Kamera, dass du es bist.",consent_allows:"Wenn du best\xE4tigst, bekommt\
 {agent} ein Token:",consent_may:"Darf",consent_on:"Bei",consent_until:"G\xFCltig f\xFCr",consent_for:"Zweck",consent_what:"\
Etwa eine Minute: Du schaust in die Kamera, bewegst den Kopf, sprichst sechs Ziffern und zeigst ein Handzeichen.",consent_flash:"\
Etwa vier Sekunden lang wechselt der Bildschirm die Farbe, h\xF6chstens dreimal pro Sekunde. Wenn flackerndes Licht f\xFCr dic\
h ein Risiko ist, w\xE4hle einen anderen Weg.",consent_text:"Dem stimmst du zu",consent_version:"Version {version}",consent_accept:"\
Zustimmen und weiter",consent_external:"{provider} pr\xFCft deine Identit\xE4t auf einer eigenen Seite. Dort gelten eigene Bed\
ingungen.",other_way:"Ein anderer Weg",other_intro:"Lass weg, was du nicht kannst. Dein Passkey tritt an die Stelle, es \
wird also nicht weniger gepr\xFCft.",other_no_voice:"Ich kann nicht sprechen, oder es ist hier zu laut",other_no_hand:"I\
ch kann kein Handzeichen zeigen",other_no_flash:"Keine wechselnden Farben auf dem Bildschirm",other_motion:"Dein Ger\xE4t b\
ittet um weniger Bewegung, deshalb entfallen die wechselnden Farben.",other_none:"Du musst das nicht tun. Brich ab, und \
die Seite, von der du kommst, bietet dir an, was ohne geht.",duration_minutes:"{count} Min.",duration_hours:"{count} Std\
.",devices_title:"Kamera und Mikrofon erlauben",devices_title_camera:"Kamera erlauben",devices_ask:"Dein Browser fragt j\
etzt. W\xE4hle \u201EZulassen\u201C. Bilder und Ton gehen an den Dienst, der sie pr\xFCft, und werden nicht gespeichert.",
denied_title:"Die Kamera ist blockiert",denied_query:"Diese Seite darf Kamera oder Mikrofon nicht benutzen. \xD6ffne die We\
bsite-Einstellungen neben der Adresse, erlaube beides und versuch es noch einmal.",denied_plain:"Der Browser hat keine E\
rlaubnis bekommen. Erlaube Kamera und Mikrofon f\xFCr diese Seite in den Einstellungen des Browsers und versuch es noch ein\
mal.",denied_policy:'Die Seite, die das hier zeigt, darf die Kamera nicht benutzen. Wer sie entwickelt, muss es erlauben\
: allow="camera; microphone; publickey-credentials-get".',denied_insecure:"Die Kamera geht nur auf Seiten mit https. \xD6ff\
ne diese Seite \xFCber https.",denied_system:"Das System blockiert die Kamera f\xFCr diesen Browser. Erlaube sie in den Dat\
enschutz-Einstellungen des Ger\xE4ts und versuch es noch einmal.",absent_title:"Keine Kamera gefunden",absent:"Schlie\xDF e\
ine Kamera und ein Mikrofon an, oder \xF6ffne diese Seite auf dem Telefon.",absent_microphone:"Schlie\xDF ein Mikrofon an, \
oder w\xE4hle einen anderen Weg ohne Sprechen.",busy_title:"Die Kamera ist belegt",busy:"Ein anderes Programm benutzt di\
e Kamera. Schlie\xDF es und versuch es noch einmal.",lost_title:"Die Kamera ist weg",lost:"Kamera oder Mikrofon wurde ge\
trennt oder ausgeschaltet. Schlie\xDF sie wieder an und versuch es noch einmal.",unsupported_title:"Dieser Browser kann \
nicht aufnehmen",unsupported:"Nimm eine aktuelle Version von Safari, Firefox, Chrome oder Edge.",framing_title:"Bring de\
in Gesicht ins Oval",framing_start:"Los",framing_camera:"Kamera",framing_microphone:"Mikrofon",framing_level:"Pegel des \
Mikrofons",framing_settings:"Kamera und Ton",framing_read_aloud:"Anweisungen vorlesen",hint_ready:"Sieht gut aus",hint_dark:"\
Zu dunkel: Wende dich einem Fenster oder einer Lampe zu",hint_bright:"Zu hell: Wende dich vom Licht ab",hint_backlit:"Li\
cht von hinten: Dreh dich so, dass es auf dein Gesicht f\xE4llt",hint_far:"Komm n\xE4her",hint_near:"Geh etwas zur\xFCck",
hint_off_centre:"R\xFCck in die Mitte",step_of:"Schritt {done} von {total}",step_get_ready:"Gleich geht es los",step_flash_soon:"\
Der Bildschirm wechselt jetzt langsam die Farbe. Schau hierher und halt still.",step_recording:"Aufnahme",step_again:"No\
ch einmal",sending_title:"Wird gesendet",sending_slow:"Deine Verbindung ist langsam. Lass diese Seite offen.",sending_offline:"\
Keine Verbindung. Es geht weiter, sobald du wieder online bist.",sending_busy:"Der Dienst ist ausgelastet. Es geht gleic\
h weiter.",opening:"Die Sitzung wird ge\xF6ffnet\u2026",finishing:"Wird gepr\xFCft\u2026",provider_title:"Weiter mit {pr\
ovider}",provider_text:"Es \xF6ffnet sich ein neuer Tab. Komm danach hierher zur\xFCck, diese Seite merkt es von selbst.",
provider_text_alone:"Es \xF6ffnet sich ein neuer Tab. Komm danach hierher zur\xFCck.",provider_done:"Dort bin ich fertig",
provider_open:"{provider} \xF6ffnen",provider_waiting:"Warten auf das Ergebnis\u2026",passkey_title:"Mit deinem Passkey \
best\xE4tigen",passkey_title_create:"Passkey anlegen",passkey_text:"Dein Ger\xE4t fragt nach Fingerabdruck, Gesicht oder PI\
N. Der Passkey unterschreibt nur diese Aufnahme.",passkey_text_request:"Dein Ger\xE4t fragt nach Fingerabdruck, Gesicht ode\
r PIN. Der Passkey unterschreibt nur diese Aufnahme und dieses Token.",passkey_text_create:"Damit best\xE4tigst du sp\xE4tere \
Pr\xFCfungen. Dein Ger\xE4t fragt nach Fingerabdruck, Gesicht oder PIN.",passkey_use:"Passkey benutzen",passkey_create:"\
Passkey anlegen",passkey_not_used:"Der Passkey wurde nicht benutzt. Versuch es noch einmal.",passkey_exists:"Auf diesem \
Ger\xE4t gibt es schon einen Passkey f\xFCr dich. Nimm ein anderes Ger\xE4t, oder brich ab.",passkey_unsupported:"Dieser\
 Browser kann hier keine Passkeys benutzen.",done_title:"Du bist es",done_title_enroll:"Du bist registriert",done:"Du ka\
nnst das hier schlie\xDFen.",done_token:"{agent} hat das Token. Du kannst das hier schlie\xDFen.",done_elsewhere:"Mach d\
ort weiter, wo du angefangen hast. Du kannst das hier schlie\xDFen.",retry_title:"Das hat noch nicht geklappt",retry_left:"\
Verbleibende Versuche: {count}",failed_title:"Nicht best\xE4tigt",failed_closed_title:"Hier geht es nicht weiter",cancelled_title:"\
Abgebrochen",cancelled:"Die Aufnahme wurde verworfen.",why_hidden:"Die Seite war w\xE4hrend der Aufnahme im Hintergrund. La\
ss sie im Vordergrund.",why_slow:"Die Aufnahme kam zu sp\xE4t an. Geh n\xE4her an den Router, oder nimm ein anderes Netz.",
why_interrupted:"Die Aufnahme wurde unterbrochen.",why_timeout:"Die drei Minuten sind um.",why_offline:"Die Verbindung w\
ar zu lange weg.",why_engine:"Der Dienst kann gerade keine Aufnahmen pr\xFCfen. Versuch es in einer Minute noch einmal.",
why_retry:"Die Aufnahme war nicht gut genug.",end_expired:"Dieser Link ist abgelaufen. Geh zur\xFCck und fang neu an.",end_used:"\
Diese Pr\xFCfung ist schon abgeschlossen.",end_taken:"Diese Pr\xFCfung l\xE4uft auf einem anderen Ger\xE4t.",end_cancelled:"\
Diese Pr\xFCfung wurde abgebrochen.",end_unknown:"Dieser Link ist nicht g\xFCltig. Geh zur\xFCck und fang neu an.",end_locked:"\
Zu viele Versuche. Warte eine Weile und fang dann neu an.",end_not_enrolled:"Du bist noch nicht registriert.",end_review:"\
Das Ergebnis ist nicht klar genug. Geh zur\xFCck zu der Seite, von der du kommst.",end_failed:"Nach der Pr\xFCfung bist du \
es vielleicht nicht.",end_blocked:"Diese Seite darf den Pr\xFCfdienst nicht aufrufen. Wer sie entwickelt, muss ihre Adresse\
 in DEPUTY_WIDGET_ORIGINS eintragen.",end_other:"Etwas ist schiefgegangen. Geh zur\xFCck und fang neu an."};var Y={title_verify:"Verify that it\u2019s you",title_enroll:"Enroll your face and voice",loading:"One moment\u2026",cancel:"\
Cancel",again:"Try again",sound_on:"Sound on",sound_off:"Sound off",consent_asked_by:"{name} asks you to confirm that it\
 is you.",consent_asked:"You are asked to confirm that it is you.",consent_enroll:"Next time, a short look into the came\
ra shows that it is you.",consent_allows:"If you confirm, {agent} gets a token:",consent_may:"May",consent_on:"On",consent_until:"\
Valid for",consent_for:"Purpose",consent_what:"About a minute: you look into the camera, move your head, say six digits \
and show a hand sign.",consent_flash:"For about four seconds the screen changes colour, at most three times a second. If\
 flashing light is a risk for you, choose another way.",consent_text:"What you agree to",consent_version:"Version {versi\
on}",consent_accept:"Agree and continue",consent_external:"{provider} checks your identity on its own page. It has its o\
wn terms.",other_way:"Another way",other_intro:"Leave out what you can\u2019t do. Your passkey takes its place, so nothing is\
 checked less.",other_no_voice:"I can\u2019t speak, or it\u2019s too loud here",other_no_hand:"I can\u2019t show a hand sign",
other_no_flash:"No changing colours on the screen",other_motion:"Your device asks for less motion, so the changing colou\
rs are left out.",other_none:"You don\u2019t have to do this. Cancel, and the page that sent you offers what it can without i\
t.",duration_minutes:"{count} min",duration_hours:"{count} h",devices_title:"Allow camera and microphone",devices_title_camera:"\
Allow the camera",devices_ask:"Your browser asks now. Choose \u201CAllow\u201D. Pictures and sound go to the service that checks t\
hem, and are not stored.",denied_title:"The camera is blocked",denied_query:"This page may not use the camera or the mic\
rophone. Open the site settings next to the address, allow both, then try again.",denied_plain:"The browser did not get \
permission. Allow camera and microphone for this page in the settings of the browser, then try again.",denied_policy:'Th\
e page that shows this may not use the camera. Its developer must allow it: allow="camera; microphone; publickey-credent\
ials-get".',denied_insecure:"The camera works on https pages only. Open this page over https.",denied_system:"The system\
 blocks the camera for this browser. Allow it in the privacy settings of the device, then try again.",absent_title:"No c\
amera found",absent:"Connect a camera and a microphone, or open this page on your phone.",absent_microphone:"Connect a m\
icrophone, or choose another way and leave out speaking.",busy_title:"The camera is in use",busy:"Another program uses t\
he camera. Close it, then try again.",lost_title:"The camera is gone",lost:"The camera or microphone was disconnected or\
 switched off. Connect it, then try again.",unsupported_title:"This browser can\u2019t record",unsupported:"Use a curren\
t version of Safari, Firefox, Chrome or Edge.",framing_title:"Put your face in the oval",framing_start:"Start",framing_camera:"\
Camera",framing_microphone:"Microphone",framing_level:"Microphone level",framing_settings:"Camera and sound",framing_read_aloud:"\
Read the instructions aloud",hint_ready:"Looks good",hint_dark:"Too dark: turn towards a window or a lamp",hint_bright:"\
Too bright: turn away from the light",hint_backlit:"Light from behind: turn so that it falls on your face",hint_far:"Com\
e closer",hint_near:"Move back a little",hint_off_centre:"Move to the middle",step_of:"Step {done} of {total}",step_get_ready:"\
Get ready",step_flash_soon:"The screen changes colour now, slowly. Look here and hold still.",step_recording:"Recording",
step_again:"Once more",sending_title:"Sending",sending_slow:"Your connection is slow. Keep this page open.",sending_offline:"\
No connection. This goes on as soon as you are online again.",sending_busy:"The service is busy. This goes on in a momen\
t.",opening:"Opening the session\u2026",finishing:"Checking\u2026",provider_title:"Continue with {provider}",provider_text:"\
It opens in a new tab. Come back here when you are done; this page notices by itself.",provider_text_alone:"It opens in \
a new tab. Come back here when you are done.",provider_done:"I\u2019m done there",provider_open:"Open {provider}",provider_waiting:"\
Waiting for the result\u2026",passkey_title:"Confirm with your passkey",passkey_title_create:"Create a passkey",passkey_text:"\
Your device asks for your fingerprint, face or PIN. The passkey signs this recording and nothing else.",passkey_text_request:"\
Your device asks for your fingerprint, face or PIN. The passkey signs this recording and this token, nothing else.",passkey_text_create:"\
You confirm later verifications with it. Your device asks for your fingerprint, face or PIN.",passkey_use:"Use passkey",
passkey_create:"Create passkey",passkey_not_used:"The passkey was not used. Try again.",passkey_exists:"This device has \
a passkey for you already. Use another device, or cancel.",passkey_unsupported:"This browser can\u2019t use passkeys here.",
done_title:"It\u2019s you",done_title_enroll:"You\u2019re enrolled",done:"You can close this.",done_token:"{agent} has i\
ts token. You can close this.",done_elsewhere:"Go on where you started. You can close this.",retry_title:"That didn\u2019t wo\
rk yet",retry_left:"Attempts left: {count}",failed_title:"Not verified",failed_closed_title:"This can\u2019t go on",cancelled_title:"\
Cancelled",cancelled:"The recording was thrown away.",why_hidden:"The page was in the background while it recorded. Keep\
 it in front.",why_slow:"The recording arrived too late. Move closer to your router, or use another network.",why_interrupted:"\
The recording was interrupted.",why_timeout:"The three minutes are over.",why_offline:"There was no connection for too l\
ong.",why_engine:"The service can\u2019t check recordings right now. Try again in a minute.",why_retry:"The recording wa\
s not good enough.",end_expired:"This link has expired. Go back and start again.",end_used:"This verification is finishe\
d already.",end_taken:"This verification goes on on another device.",end_cancelled:"This verification was cancelled.",end_unknown:"\
This link is not valid. Go back and start again.",end_locked:"Too many attempts. Wait a while, then start again.",end_not_enrolled:"\
You have not enrolled yet.",end_review:"The result is not clear enough. Go back to the page that sent you.",end_failed:"\
The check says that this may not be you.",end_blocked:"This page may not call the verification service. Its developer mu\
st add its address to DEPUTY_WIDGET_ORIGINS.",end_other:"Something went wrong. Go back and start again."};var we={en:Y,de:_e};function ve(e){for(let n of e){let t=n.toLowerCase().split("-")[0]??"",r=Object.hasOwn(we,t)?we[t]:void 0;
if(r!==void 0)return{language:t,texts:r}}return{language:"en",texts:Y}}function f(e,n){return e.replaceAll(/\{(\w+)\}/g,
(t,r)=>Object.hasOwn(n,r)?String(n[r]):t)}var Nn=3600;function ke(e,n){let{actions:t,resources:r,expires_in:o=Nn,purpose:i}=e;return[[n.consent_may,t.join(", ")],
[n.consent_on,r.join(", ")],[n.consent_until,Gn(o,n)],...i===void 0?[]:[[n.consent_for,i]]]}function Gn(e,n){let t=Math.
ceil(e/60);return t<120&&t!==60?f(n.duration_minutes,{count:t}):f(n.duration_hours,{count:Math.round(t/6)/10})}var O="M48 16c-13 0-21 10-21 25 0 17 9 29 21 29s21-12 21-29c0-15-8-25-21-25z",R="M14 92c3-12 13-16 24-18l2-7M82 92c-3-12\
-13-16-24-18l-2-7",X="M40 40v3M56 40v3",Kn="M36 42c2 3 6 3 8 0M52 42c2 3 6 3 8 0",Se="M42 56c3 3 9 3 12 0",M=[O,R,X,Se],
zn="M24 42H6M13 34l-8 8 8 8",Bn="M72 42h18M83 34l8 8-8 8",J="M34 50v22c0 10 6 16 15 16s15-6 15-16V50",Z="M34 66l-9-10",qn="\
M34 50c0-7 30-7 30 0M41 48v10M49 48v10M57 48v10",Un={neutral:M,turn_left:[...M,zn],turn_right:[...M,Bn],look_up:[...M,"M\
86 58V26M78 34l8-8 8 8"],look_down:[...M,"M86 26v32M78 50l8 8 8-8"],open_mouth:[O,R,X,"M48 51c-5 0-7 3-7 7s2 7 7 7 7-3 7\
-7-2-7-7-7z"],blink:[O,R,Kn,Se],move_closer:[...M,"M10 30V12h18M10 12l10 10M86 30V12H68M86 12L76 22"],flash:[...M,"M48 1\
0V4M20 20l-5-5M76 20l5-5M16 44H9M80 44h7"],speak:[O,R,X,"M43 55h10c0 6-10 6-10 0z","M76 48c4 5 4 13 0 18M83 43c7 8 7 20 \
0 28"],thumbs_up:["M36 52l8-22c2-6 10-4 9 3l-2 13h13c8 0 8 10 3 11 5 1 5 9 0 10 4 2 3 9-2 9 2 3 0 8-5 8H46c-5 0-10-3-10-\
3zM36 50H22v34h14"],victory:[J,Z,"M38 50L30 16M50 48l10-33M49 50v8M57 48v10M64 52c0-5-7-6-7-6"],open_palm:[J,Z,"M34 52V2\
6M44 48V16M54 48V18M64 52V26","M25 56c-6-6-11 0-7 5l16 18"],point_up:[J,qn,Z,"M41 48V12"]};function xe({kind:e,movement:n,
gesture:t}){return ne(Un[n??t??e]??M,"picture")}var Te=["M16 50l22 22 42-46"],Q=["M26 26l44 44M70 26L26 70"],Me=["M44 48\
a17 17 0 1 1-.1-1zM44 48h42v15M69 48v11"],Ee=["M76 34a32 32 0 1 0 4 24M78 16v20H58"],ee=["M12 30h46c4 0 6 2 6 6v26c0 4-2\
 6-6 6H12c-4 0-6-2-6-6V36c0-4 2-6 6-6zM64 44l24-12v34L64 54"];function ne(e,n){return A("svg",{viewBox:"0 0 96 96",class:n,
"aria-hidden":"true",focusable:"false"},...e.map(r=>A("path",{d:r})))}function _(e){return c("h2",{attributes:{tabindex:-1}},e)}function m(e,n){return c("p",n===void 0?{}:{class:n},e)}function v(e,n){
let t=c("button",{class:"main",attributes:{type:"button"},onClick:n},e);return c("div",{class:"actions"},t)}function L(e,n,t){
let r=c("input",{attributes:{type:"checkbox"}});return r.checked=n,r.addEventListener("change",()=>t(r.checked)),c("labe\
l",{class:"option"},r,c("span",{},e))}function D(e,n,...t){let r=c("div",{class:"fold"},...t);return c("details",{attributes:{
open:n}},c("summary",{},e),r)}function k(e,n,t,r){let o=c("div",{class:`mark-ground ${e}`},ne(n,"mark"));return c("div",
{class:"result"},o,_(t),...r.map(i=>m(i)))}function Ae(e,{accept:n}){let{summary:t,consent:r,language:o}=e,{texts:i}=o,a=t?.purpose==="enroll";return[_(a?i.title_enroll:
i.title_verify),m(jn(e)),...t?.request===void 0?[]:[Jn(t.request,t.sentences,o)],...Yn(e),...r===void 0?[]:[Zn(r,o.language,
i)],...W(e)?[]:[Xn(e)],v(i.consent_accept,n)]}function jn({summary:e,language:{texts:n}}){if(e?.purpose==="enroll")return n.
consent_enroll;let t=$n(e);return t===void 0?n.consent_asked:f(n.consent_asked_by,{name:p(t)})}function $n(e){if(e===void 0||
e.asked_by.is_person)return;let{name:n,tenant_name:t}=e.asked_by;return/^default$/i.test(t)?n:n===void 0?t:`${t} (${n})`}
function Yn(e){let{summary:n,language:t}=e,{texts:r}=t;return W(e)?[m(f(r.consent_external,{provider:p(n?.provider??"")}),
"dim")]:[m(r.consent_what,"dim"),m(r.consent_flash,"dim")]}function Jn(e,[,...n],{texts:t,language:r}){let o=ke(e,t),i=(r===
"en"?o.slice(0,2):o).flatMap(([d,l])=>[c("dt",{},d),c("dd",{},p(l))]),a=f(t.consent_allows,{agent:p(e.agent_id)}),s=n.map(
d=>c("li",{},p(d)));return c("div",{class:"box"},c("h3",{},a),c("dl",{},...i),s.length>0&&c("ul",{class:"limits",attributes:{
lang:"en"}},...s))}function Zn({texts:e,version:n},t,r){let i=(e[t]??e.en??"").split(`

`).map(s=>m(p(s))),a={role:"region",tabindex:0,"aria-label":r.consent_text};return D(r.consent_text,!0,c("div",{class:"n\
otice",attributes:a},...i),m(f(r.consent_version,{version:p(n)}),"small"))}function Xn({accommodations:e,wants_less_motion:n,
language:{texts:t}}){let r=o=>L(t[`other_${o}`],e.has(o),i=>{i?e.add(o):e.delete(o)});return D(t.other_way,e.size>0,n&&m(
t.other_motion,"dim"),m(t.other_intro,"dim"),r("no_voice"),r("no_hand"),r("no_flash"),m(t.other_none,"small"))}var Qn={denied_query:"denied_title",denied_plain:"denied_title",denied_policy:"denied_title",denied_insecure:"denied_tit\
le",denied_system:"denied_title",absent:"absent_title",absent_microphone:"absent_title",busy:"busy_title",lost:"lost_tit\
le",unsupported:"unsupported_title"};function Pe(e,{language:{texts:n},accommodations:t},{again:r}){if(e===void 0){let i=t.
has("no_voice")?n.devices_title_camera:n.devices_title;return[k("plain",ee,i,[n.devices_ask])]}let o=n[Qn[e]];return[k("\
wait",ee,o,[n[e]]),v(n.again,r)]}function We(e,n){let{texts:t}=e.language;return[_(t.framing_title),v(t.framing_start,n.
start),D(t.framing_settings,!1,...et(e,n))]}function et(e,{chooseDevice:n}){let{texts:t}=e.language,{cameras:r=[],microphones:o=[],
camera_id:i,microphone_id:a}=e.media?.devices??{},s=e.media?.microphone!==void 0;return[Ce(t.framing_camera,r,i,d=>{e.camera_id=
d,n()}),s&&Ce(t.framing_microphone,o,a,d=>{e.microphone_id=d,n()}),s&&nt(t.framing_level),L(t.sound_on,e.wants_sound,d=>{
e.wants_sound=d}),"speechSynthesis"in globalThis&&L(t.framing_read_aloud,e.reads_aloud,d=>{e.reads_aloud=d})]}function nt(e){
let n=c("div",{class:"level",attributes:{"aria-hidden":"true"}},c("i"));return c("div",{class:"small"},e,n)}function Ce(e,n,t,r){
let o=n.map(({device_id:a,label:s},d)=>{let l=c("option",{},s===""?`${e} ${d+1}`:p(s));return l.value=a,l.selected=a===t,
l}),i=c("select",{},...o);return i.addEventListener("change",()=>r(i.value)),c("label",{class:"field"},e,i)}function Le(e){return[c("div",{class:"result"},c("div",{class:"busy"}),_(e))]}function De({language:{texts:e},summary:n,
opened:t,is_elsewhere:r},{leaveProvider:o}){let i=p(n?.provider??""),a=t?.redirect_url;return[_(f(e.provider_title,{provider:i})),
m(r?e.provider_text_alone:e.provider_text),...tt(a)?[rt(a,f(e.provider_open,{provider:i}))]:[],r?v(e.provider_done,o):m(
e.provider_waiting,"dim")]}function tt(e){return e!==void 0&&/^https?:\/\//.test(e)}function rt(e,n){return c("div",{class:"\
actions"},c("a",{class:"main",attributes:{href:e,target:"_blank",rel:"noopener noreferrer"}},n))}function Oe(e,{language:{
texts:n},summary:t,challenge:r},{usePasskey:o}){let i=r?.ceremony==="create",a=t?.request===void 0?n.passkey_text:n.passkey_text_request,
s=i?n.passkey_title_create:n.passkey_title;return[k("plain",Me,s,[i?n.passkey_text_create:a]),...e===void 0?[]:[m(n[`pas\
skey_${e}`],"again")],...r===void 0?[]:[v(i?n.passkey_create:n.passkey_use,o)]]}function Re({language:{texts:e},summary:n,
is_elsewhere:t}){let r=n?.request?.agent_id,o=r===void 0?e.done:f(e.done_token,{agent:p(r)}),i=n?.purpose==="enroll"?e.done_title_enroll:
e.done_title;return[k("good",Te,i,[t?e.done_elsewhere:o])]}function He({why:e,reasons:n},{language:{texts:t},attempts_left:r},{
again:o}){let i=n.length>0?n.map(p):[t[`why_${e}`]],a=r===void 0?[]:[f(t.retry_left,{count:r})];return[k("wait",Ee,t.retry_title,
[...i,...a]),v(t.again,o)]}function Fe({code:e,reasons:n},{language:{texts:t}}){let o=e==="failed"||e==="review"?t.failed_title:
t.failed_closed_title;return[k("bad",Q,o,[t[`end_${e}`],...n.map(p)])]}function Ie({language:{texts:e}}){return[k("plain",
Q,e.cancelled_title,[e.cancelled])]}function te(e,n,{language:{texts:t},opened:r}){let{prompt:o,digits:i,index:a,kind:s}=e,d=f(t.step_of,{done:a+1,total:r?.
steps_total??0}),l=c("div",{},m(d,"small"),_(p(i===void 0?o:o.replace(/[\d\s]+$/,""))),s==="flash"&&m(t.step_flash_soon,
"dim"));return[...n.map(u=>m(`${t.step_again}: ${p(u)}`,"again")),c("div",{class:"task"},xe(e),l),...i===void 0?[]:[ot(i)],
c("p",{class:"trouble dim",attributes:{hidden:!0}})]}function ot(e){return c("p",{class:"digits"},[...e].join(" "))}function Ve(e,n){let{screen:t,language:r}=e;switch(t.name){case"consent":return Ae(e,n);case"devices":return Pe(t.problem,
e,n);case"framing":return We(e,n);case"prepare":case"recording":return te(t.step,t.reasons,e);case"sending":return te(t.
step,[],e);case"provider":return De(e,n);case"passkey":return Oe(t.problem,e,n);case"done":return Re(e);case"retry":return He(
t,e,n);case"failed":return Fe(t,e);case"cancelled":return Ie(e);default:return Le(r.texts[t.name])}}function Ne(e,n,t,r){let{screen:o,language:i,summary:a}=e,{texts:s}=i;n.language=i.language,n.label=a?.purpose==="enroll"?
s.title_enroll:s.title_verify,n.cancel.textContent=s.cancel,n.cancel.hidden=j(o),n.stage(st(o),o.name==="recording"?s.step_recording:
""),o.name!=="prepare"&&n.countIn(""),n.share(at(e)),n.count(dt(e));let d=it(e);return d!==r&&n.body.replaceChildren(...Ve(
e,t)),n.trouble(ct(o,s)),d}function it({screen:e,language:n,challenge:t}){let r="step"in e?e.step.step_id:JSON.stringify(
e);return`${n.language} ${t?.ceremony} ${r}`}function st({name:e}){return e==="recording"?"recording":E({name:e})?"waiti\
ng":void 0}function at({screen:e,opened:n,steps_done:t}){if(!(n===void 0||n.steps_total===0))return e.name==="done"||e.name===
"finishing"||e.name==="passkey"?1:"step"in e?t/n.steps_total:void 0}function dt({screen:e,opened:n}){return n!==void 0&&
"step"in e?`${e.step.index+1} / ${n.steps_total}`:""}function ct(e,n){if(e.name==="sending")return e.trouble===void 0?n.
sending_title:n[`sending_${e.trouble}`]}var lt={ready:660,done:880},Ge=.12,ut=.06,H=class{#n;tone(n){this.#n??=new AudioContext;let{destination:t,currentTime:r}=this.#n,
o=this.#n.createGain();o.gain.setValueAtTime(ut,r),o.gain.exponentialRampToValueAtTime(.001,r+Ge);let i=this.#n.createOscillator();
i.frequency.value=lt[n],i.connect(o).connect(t),i.start(),i.stop(r+Ge)}say(n,t){if(!("speechSynthesis"in globalThis))return;
this.hush();let r=new SpeechSynthesisUtterance(n);r.lang=t,speechSynthesis.speak(r)}hush(){"speechSynthesis"in globalThis&&
speechSynthesis.cancel()}close(){this.hush(),this.#n?.close(),this.#n=void 0}};async function Ke(e){return e.ceremony==="create"?{passkey_registration:await pt(e.options)}:{passkey:await mt(e.options)}}
async function pt(e){let{challenge:n,user:t,excludeCredentials:r=[],extensions:o,...i}=e,a={...i,challenge:F(n),user:{...t,
id:F(t.id)},excludeCredentials:r.map(qe)},s=ze(await navigator.credentials.create({publicKey:a})),d=s.response;return{...Be(
s),response:{clientDataJSON:C(d.clientDataJSON),attestationObject:C(d.attestationObject),transports:d.getTransports?.()??
[]}}}async function mt(e){let{challenge:n,allowCredentials:t=[],extensions:r,...o}=e,i={...o,challenge:F(n),allowCredentials:t.
map(qe)},a=ze(await navigator.credentials.get({publicKey:i})),s=a.response;return{...Be(a),response:{clientDataJSON:C(s.
clientDataJSON),authenticatorData:C(s.authenticatorData),signature:C(s.signature),...s.userHandle!==null&&{userHandle:C(
s.userHandle)}}}}function ze(e){if(e instanceof PublicKeyCredential)return e;throw new DOMException("no passkey was give\
n","NotAllowedError")}function Be(e){let{id:n,rawId:t,type:r,authenticatorAttachment:o}=e;return{id:n,rawId:C(t),type:r,
...o!==null&&{authenticatorAttachment:o},clientExtensionResults:e.getClientExtensionResults()}}function qe({id:e,...n}){
return{...n,id:F(e)}}function F(e){let n=atob(e.replaceAll("-","+").replaceAll("_","/"));return Uint8Array.from(n,t=>t.charCodeAt(
0))}function C(e){return btoa(String.fromCharCode(...new Uint8Array(e))).replaceAll("+","-").replaceAll("/","_").replaceAll(
"=","")}function Ue(e){let n=e instanceof Error?e.name:"";return n==="InvalidStateError"?"exists":n==="NotAllowedError"||
n==="AbortError"?"not_used":"unsupported"}async function je({state:e,calls:n,signal:t}){if(e.opened===void 0)throw new Error("no session is open");e.challenge??=await n.
passkey(e.opened,{signal:t})}async function $e({state:e,send:n}){if(e.challenge!==void 0)try{e.confirmed=await Ke(e.challenge),
n({type:"confirmed"})}catch(t){n({type:"passkey_failed",problem:Ue(t)})}}async function Ye(e){let{state:n,calls:t,send:r,
signal:o}=e;if(n.opened===void 0)throw new Error("no session is open");let i=await t.finish(n.opened,n.confirmed,{signal:o});
if(n.attempts_left=i.attempts_left,i.decision!=="pass")return ht(i,e);n.result={...i,...await ft(e)},r({type:"judged"})}
async function ft({state:e,calls:n,signal:t}){if(e.summary?.request===void 0||e.is_elsewhere)return{};try{let{token:r}=await n.
collect({signal:t});return r===void 0?{}:{token:r}}catch(r){if(!(r instanceof b&&r.code==="session_unknown"))throw r;return e.
is_elsewhere=!0,{}}}function ht({decision:e,reasons:n,attempts_left:t},{send:r}){e==="review"?r({type:"failed",code:"rev\
iew",reasons:n}):e==="retry"||t>0?r({type:"interrupted",why:"retry",reasons:n}):r({type:"failed",code:"failed",reasons:n})}function h(e,n){return new Promise((t,r)=>{n?.throwIfAborted();let o=setTimeout(t,Math.max(0,e-performance.now()));n?.addEventListener(
"abort",()=>{clearTimeout(o),r(n.reason)},{once:!0})})}async function Je(e,n,t,r,o){let{canvas:i,draw:a}=gt(e,n),s=[],d=1e3/n.fps-12,l=h(t+r,o).then(()=>!1);for(let u=Number.NEGATIVE_INFINITY;s.
length<n.max_frames;){let g=await Promise.race([yt(e).then(()=>!0),l]),y=performance.now();if(!g||y-t>r)break;y<t||y-u<d||
(u=y,a(),s.push(bt(i,n.jpeg_quality,y-t)))}return Promise.all(s)}function gt(e,{width:n,height:t}){let r=document.createElement(
"canvas");r.width=n,r.height=t;let o=r.getContext("2d",{alpha:!1});if(o===null)throw new Error("This browser cannot draw\
 pictures.");return{canvas:r,draw:()=>{let a=Math.max(n/e.videoWidth,t/e.videoHeight),[s,d]=[n/a,t/a];o.drawImage(e,(e.videoWidth-
s)/2,(e.videoHeight-d)/2,s,d,0,0,n,t)}}}function yt(e){return new Promise(n=>{"requestVideoFrameCallback"in e?e.requestVideoFrameCallback(
n):requestAnimationFrame(n)})}function bt(e,n,t){return new Promise((r,o)=>{e.toBlob(i=>i===null?o(new Error("A picture \
could not be encoded.")):r({t_ms:t,jpeg:i}),"image/jpeg",n)})}async function re(e){let n=new FileReader,t=new Promise((o,i)=>{n.onload=()=>o(String(n.result)),n.onerror=()=>i(new Error(
"The recording could not be read."))});n.readAsDataURL(e instanceof Blob?e:new Blob([e]));let r=await t;return r.slice(r.
indexOf(",")+1)}async function Ze({video:e,microphone:n,settings:t},r,o,i,a){let s=r.kind==="speak"?n?.record(o):void 0;try{let[d]=await Promise.
all([Je(e,t,o,r.duration_ms,a),i()]),l=s?.stop();return{frames:await Promise.all(d.map(async({t_ms:u,jpeg:g})=>({t_ms:u,
jpeg:await re(g)}))),...l!==void 0&&{audio:{t0_ms:l.t0_ms,pcm16:await re(l.pcm16)}}}}finally{s?.stop()}}var _t={red:"#f00",green:"#0f0",blue:"#00f",black:"#000"},wt=334;async function Xe(e,{colors:n=[],slot_ms:t=0},r,o){let i=Math.max(wt,t);try{for(let[a,s]of n.entries())e.style.backgroundColor=
_t[s],e.hidden=!1,await h(r+(a+1)*i,o)}finally{e.hidden=!0}}var I={first:2200,flash:2600,aloud:2600,other:1400},Qe=700,vt=200,kt=.55;async function en(e,n){let{state:t,frame:r,voice:o,
send:i,signal:a}=n;r.say(p(e.prompt)),t.reads_aloud&&o.say(e.prompt,t.language.language);let s=performance.now()+St(e,t);
for(let d=Math.floor((s-performance.now())/Qe);d>0;d--)await h(s-d*Qe,a),r.countIn(String(d));await h(s-vt,a),o.hush(),t.
wants_sound&&o.tone("ready"),await h(s,a),i({type:"started"})}function St({kind:e,index:n},{reads_aloud:t}){return e==="\
flash"?I.flash:t?I.aloud:n===0?I.first:I.other}async function nn(e,n){let{state:t,frame:r,voice:o,send:i,signal:a}=n,{media:s,
opened:d,has_slow_line:l}=t;if(d?.capture===void 0||s===void 0)throw new Error("nothing is open to record with");let u=Math.
min(d.capture.jpeg_quality,l?kt:1),g={video:r.video,microphone:s.microphone,settings:{...d.capture,jpeg_quality:u}},y=performance.
now();r.time(e.duration_ms);try{let B=()=>xt(e,y,n);t.recording=await Ze(g,e,y,B,a)}finally{r.time(void 0)}t.wants_sound&&
o.tone("done"),i({type:"recorded"})}async function xt(e,n,{state:t,frame:r,signal:o}){if(!(e.colors===void 0||e.colors.length===
0)){r.raiseLight(t.language.texts.step_flash_soon);try{await Xe(r.light,e,n,o)}finally{r.lowerLight()}}}function sn(e){return Uint8Array.from({length:e.length/4},(n,t)=>{let r=t*4;return(e[r]??0)*77+(e[r+1]??0)*150+(e[r+2]??
0)*29>>8})}function Tt(e){let n=rn(e,tn),t=rn(e,(r,o)=>!tn(r,o));return n<55?t-n>70?"backlit":"dark":n>205?"bright":t-n>
70?"backlit":"ready"}function Mt(e){let n=Et(e),t=n.reduce((s,d)=>s+d,0);if(t<24)return"ready";let r=on(n,t*.08),o=on(n,
t*.92),i=(o-r+1)/48,a=(r+o+1)/2/48;return i>.8?"near":Math.abs(a-.5)>.2?"off_centre":i<.25?"far":"ready"}function an(e){
let n=e.at(-1);if(n===void 0)return"ready";let t=Tt(n);return t==="ready"?Mt(e):t}function tn(e,n){let t=(e+.5-24)/19.200000000000003,
r=(n+.5-64*.48)/(64*.41);return t*t+r*r<=1}function rn(e,n){let t=0,r=0;return e.forEach((o,i)=>{n(i%48,Math.floor(i/48))&&
(t+=o,r+=1)}),r===0?0:t/r}function Et(e){let n=new Array(48).fill(0),[t,...r]=e;return t?.forEach((o,i)=>{r.some(s=>Math.
abs((s[i]??o)-o)>9)&&(n[i%48]=(n[i%48]??0)+1)}),n}function on(e,n){let t=0;return e.findIndex(r=>(t+=r,t>=n))}async function dn(e,n,t){let{context:r,source:o}=At(e,n),i=new oe(r.sampleRate,n),a=await Pt(r,t,s=>i.take(s));return o.
connect(a),await r.resume(),{record:s=>i.record(s),onLevel:s=>i.onLevel(s),async close(){o.disconnect(),await r.close()}}}
function At(e,n){let t=new AudioContext({sampleRate:n});try{return{context:t,source:t.createMediaStreamSource(e)}}catch{
t.close();let r=new AudioContext;return{context:r,source:r.createMediaStreamSource(e)}}}var Ct=1024;async function Pt(e,n,t){
try{await e.audioWorklet.addModule(n);let r=new AudioWorkletNode(e,q,{numberOfOutputs:0});return r.port.onmessage=({data:o})=>t(
o),r}catch{let r=e.createScriptProcessor(Ct,1,1);return r.onaudioprocess=({inputBuffer:o})=>t(o.getChannelData(0).slice()),
r.connect(e.destination),r}}var oe=class{#n;#e;#r;#o=()=>{};constructor(n,t){this.#n=n,this.#e=t}onLevel(n){this.#o=n}take(n){
this.#o(Math.sqrt(n.reduce((o,i)=>o+i*i,0)/n.length));let t=this.#r;if(t===void 0)return;let r=performance.now()-n.length*
1e3/this.#n;r<t.shown_at||(t.first_ms??=r-t.shown_at,t.batches.push(n))}record(n){let t={shown_at:n,first_ms:void 0,batches:[]};
return this.#r=t,{stop:()=>{this.#r===t&&(this.#r=void 0);let{first_ms:r,batches:o}=t;return{t0_ms:r??0,pcm16:Wt(o,this.#n/
this.#e)}}}}};function Wt(e,n){let t=new Float32Array(e.reduce((a,{length:s})=>a+s,0)),r=0;for(let a of e)t.set(a,r),r+=
a.length;let o=Math.floor(t.length/n),i=new DataView(new ArrayBuffer(o*2));for(let a=0;a<o;a++){let s=t.subarray(Math.floor(
a*n),Math.max(Math.floor(a*n)+1,Math.floor((a+1)*n))),d=s.reduce((l,u)=>l+u,0)/s.length;i.setInt16(a*2,Math.max(-1,Math.
min(1,d))*32767,!0)}return new Uint8Array(i.buffer)}var Lt=16e3,G=class e{devices;microphone;#n;constructor(n,t,r){this.devices=n,this.microphone=t,this.#n=r}static async open(n,{
video:t,script:r,onLost:o}){let i=await ae(n);try{for(let s of i.stream.getTracks())s.addEventListener("ended",o);t.srcObject=
i.stream,await Ot(t);let a=n.with_sound?await dn(i.stream,Lt,r):void 0;return new e(i,a,t)}catch(a){throw cn(i.stream,t),
a}}sampler(){let n=document.createElement("canvas");n.width=48,n.height=64;let t=n.getContext("2d",{alpha:!1,willReadFrequently:!0});
return()=>{let{videoWidth:r,videoHeight:o}=this.#n;if(t===null||r===0)return;let i=Math.min(r,o*48/64),a=(r-i)/2;return t.
drawImage(this.#n,a,0,i,o,0,0,48,64),sn(t.getImageData(0,0,48,64).data)}}close(){cn(this.devices.stream,this.#n),this.microphone?.
close()}},Dt=8e3;function Ot(e){let n=h(performance.now()+Dt).then(()=>{throw new w("busy")});return Promise.race([e.play(),
n])}function cn(e,n){for(let t of e.getTracks())t.stop();n.srcObject=null}var Rt=350,Ht=5,Ft=6e3,It=8;async function ln({state:e,frame:n,worklet_script:t,send:r,signal:o}){S(e);let i={camera_id:e.
camera_id,microphone_id:e.microphone_id,with_sound:!e.accommodations.has("no_voice")},a=()=>r({type:"devices_failed",problem:"\
lost"}),s=await G.open(i,{video:n.video,script:t,onLost:a});if(o.aborted)return s.close();e.media=s,r({type:"devices_rea\
dy"})}async function un({state:e,frame:n,signal:t}){let r=e.media?.sampler();e.media?.microphone?.onLevel(a=>n.level(Math.
min(1,a*It)));let o=[],i=performance.now();for(;;){await h(performance.now()+Rt,t);let a=r?.();if(a===void 0)continue;o=
[...o,a].slice(-Ht);let s=an(o),d=e.language.texts[`hint_${s}`];n.stage(s==="ready"?"ready":"waiting",d),!(performance.now()-
i<Ft)&&(i=performance.now(),n.say(d))}}async function pn(e){let{state:n,calls:t,send:r,signal:o}=e,[i,a]=await Promise.all([t.describe({signal:o}),t.consent({signal:o})]);
n.summary=i,n.consent=a,r(await Vt(i,e)?{type:"described"}:ue(i.state))}async function Vt(e,{state:n,calls:t,signal:r}){
return e.state==="waiting"?!0:n.is_elsewhere?e.state==="open"||e.state==="judged":e.state==="judged"&&(await t.watch(void 0,
{signal:r})).can_open}async function mn({state:e,calls:n,send:t,signal:r}){let o={nonce:e.opened?.nonce,consent_version:e.
consent?.version??"",accommodations:[...e.accommodations],language:e.language.language},i=await n.open(o,{signal:r});e.opened=
i,e.steps_done=0,i.step===void 0?t({type:"opened_external"}):t({type:"revealed",step:i.step,reasons:[]})}async function fn({
state:e,calls:n,send:t,signal:r}){if(e.is_elsewhere)return;let o;do o=await n.watch(o?.version,{signal:r});while(Nt(o));
t({type:"answered",passkey_required:e.opened?.passkey_required===!0})}function Nt({state:e,provider_status:n="pending"}){
return e==="open"&&(n==="pending"||n==="review")}async function hn({state:e,calls:n,signal:t}){(e.opened!==void 0||!e.is_elsewhere)&&
await n.cancel(e.opened,{signal:t}).catch(()=>{})}var Gt=2500,Kt=6e4,zt=1500,Bt=10;async function gn(e,n){let{state:t,send:r}=n,o=performance.now()+Kt,i=setTimeout(()=>{t.
has_slow_line=!0,r({type:"sending_trouble",trouble:"slow"})},Gt);try{let a;for(;a===void 0;)a=await qt(e,n,performance.now()>
o);Ut(a,n)}finally{clearTimeout(i)}}async function qt(e,n,t){let{state:r,calls:o,frame:i,send:a,signal:s}=n,{opened:d,recording:l,
media:u,steps_done:g}=r;if(d===void 0||l===void 0)throw new Error("nothing was recorded");let y={video_label:u?.devices.
video_label??""},B=P=>i.share((g+P)/d.steps_total);try{return await o.answer(d,e,{...l,device:y},{signal:s,onShare:B})}catch(P){
let ie=jt(P);if(ie===void 0||t)throw P;a({type:"sending_trouble",trouble:ie}),await h(performance.now()+$t(P),s);return}}
function Ut({reasons:e,step:n,steps_done:t},{state:r,send:o}){r.steps_done=t,r.recording=void 0,o(n===void 0?{type:"answ\
ered",passkey_required:r.opened?.passkey_required===!0}:{type:"revealed",step:n,reasons:e.map(({detail:i})=>i)})}function jt(e){
return e instanceof T?"offline":e instanceof b&&["engine_busy","rate_limited"].includes(e.code)?"busy":void 0}function $t(e){
let n=e instanceof b?e.retry_after_s:void 0;return n===void 0?zt:Math.min(Bt,n)*1e3}async function yn(e){let{state:n}=e,{screen:t}=n;switch(t.name){case"loading":return pn(e);case"devices":return t.problem===
void 0?ln(e):S(n);case"framing":return un(e);case"opening":return mn(e);case"prepare":return en(t.step,e);case"recording":
return nn(t.step,e);case"sending":return gn(t.step,e);case"provider":return fn(e);case"passkey":return je(e);case"finish\
ing":return Ye(e);case"cancelled":return hn(e);default:return}}var K=class{#n;#e;#r=new H;#o=new AbortController;#i=new AbortController;#d="";#a=!1;constructor(n){this.#n=n,this.#e=de(
n.language,n.is_elsewhere);let{signal:t}=this.#o;n.frame.cancel.addEventListener("click",()=>this.#s({type:"cancel"}),{signal:t}),
document.addEventListener("visibilitychange",()=>this.#h(),{signal:t}),addEventListener("pagehide",()=>this.#g(),{signal:t}),
this.#u(),this.#l()}set language(n){this.#e.language=n,this.#u()}close(){this.#o.abort(),this.#i.abort(),S(this.#e),this.#r.
close(),this.#n.frame.lowerLight()}#s(n){this.#a=!0,this.#t(n)}#t(n){if(this.#o.signal.aborted)return;let t=this.#e.screen,
r=pe(t,n);r!==t&&this.#c(r)}#c(n){let t=bn(n)===bn(this.#e.screen);this.#e.screen=n,this.#u(),!t&&(this.#l(),this.#n.onScreen(
this.#e))}async#l(){this.#i.abort(),this.#i=new AbortController;let{signal:n}=this.#i,{name:t}=this.#e.screen;!E({name:t})&&
t!=="devices"&&S(this.#e);let r={...this.#n,state:this.#e,voice:this.#r,signal:n};try{await yn({...r,send:o=>this.#t(o)}),
t==="passkey"&&this.#u()}catch(o){n.aborted||this.#p(o)}}#p(n){n instanceof w?this.#t({type:"devices_failed",problem:n.problem}):
n instanceof T?this.#f():n instanceof b?this.#m(n):this.#t({type:"failed",code:"other"})}#m(n){let{name:t}=this.#e.screen;
n.code==="answer_late"&&(this.#e.has_slow_line=!0);let r=U(n,E({name:t})||t==="passkey"),o=r.type==="failed"&&r.code==="\
other";this.#t({...r,reasons:o&&n.message!==""?[n.message]:[]})}#f(){this.#e.summary===void 0&&navigator.onLine?this.#t(
{type:"failed",code:"blocked"}):this.#t({type:"interrupted",why:"offline"})}#h(){let{name:n}=this.#e.screen;(n==="prepar\
e"||n==="recording")&&document.visibilityState==="hidden"&&this.#t({type:"interrupted",why:"hidden"})}#g(){let{name:n}=this.#e.
screen;(E({name:n})||n==="devices")&&this.#t({type:"interrupted",why:"interrupted"}),S(this.#e)}#u(){let{frame:n}=this.#n,
t=this.#d;this.#d=Ne(this.#e,n,this.#y(),t),this.#a&&this.#d!==t&&n.focusHeading()}#y(){let n=this.#e,t=r=>this.#t(r);return{
accept:()=>this.#s({type:W(n)?"accepted_external":"accepted"}),start:()=>this.#s({type:"start"}),again:()=>this.#s({type:"\
again",is_described:n.summary!==void 0}),usePasskey:()=>{$e({state:n,send:t})},chooseDevice:()=>this.#s({type:"choose_de\
vice"}),leaveProvider:()=>this.#s({type:"answered",passkey_required:n.opened?.passkey_required===!0})}}};function bn(e){
let n="step"in e?e.step.step_id:"",t=e.name==="devices"?e.problem??"":"";return`${e.name} ${n} ${t}`}var Yt={cx:50,cy:48,rx:23,ry:41},z=class{video=c("video",{attributes:{playsinline:!0,"aria-hidden":"true",tabindex:-1}});body=c(
"div",{class:"body"});cancel=c("button",{class:"quiet",attributes:{type:"button"}});light=c("div",{class:"light",attributes:{
hidden:!0,"aria-hidden":"true"}});#n=c("div",{class:"calm"});#e=c("i");#r=c("p",{class:"count"});#o;#i=c("span");#d=c("d\
iv",{class:"count-in",attributes:{"aria-hidden":"true"}});#a=c("i");#s=c("div",{class:"time",attributes:{hidden:!0}},this.#a);#t=c(
"div",{class:"spoken",attributes:{role:"status","aria-live":"polite"}});#c;constructor(n){this.video.muted=!0,this.light.
append(this.#n),this.light.popover="manual";let t=c("p",{class:"chip"},this.#i);this.#o=c("div",{class:"stage",attributes:{
hidden:!0}},this.video,Jt(),this.#d,t,this.#s);let r=c("div",{class:"bar",attributes:{"aria-hidden":"true"}},this.#e),o=c(
"div",{class:"top"},r,this.#r,this.cancel);this.#c=c("div",{class:"card",attributes:{role:"group"}},o,this.#o,this.body),
n.append(this.#c,this.#t,this.light)}set label(n){this.#c.setAttribute("aria-label",n)}set language(n){this.#c.lang=n,this.#t.
lang=n}share(n){this.#e.parentElement?.classList.toggle("idle",n===void 0),this.#e.style.width=`${Math.round((n??0)*100)}\
%`}count(n){this.#r.textContent=n}level(n){let t=this.body.querySelector(".level i");t!==null&&(t.style.transform=`scale\
X(${n})`)}trouble(n){let t=this.body.querySelector(".trouble");t!==null&&(t.hidden=n===void 0,t.textContent=n??"",n!==void 0&&
this.say(n))}focusHeading(){this.body.querySelector("h2")?.focus({preventScroll:!0})}stage(n,t=""){this.#o.hidden=n===void 0,
this.#o.className=`stage ${n??""}`,this.#i.textContent!==t&&(this.#i.textContent=t)}countIn(n){this.#d.textContent=n}time(n){
for(let t of this.#a.getAnimations())t.cancel();this.#s.hidden=n===void 0,n!==void 0&&this.#a.animate([{transform:"scale\
X(1)"},{transform:"scaleX(0)"}],{duration:n,fill:"forwards"})}say(n){this.#t.textContent!==n&&(this.#t.textContent=n)}raiseLight(n){
this.#n.textContent=n,"showPopover"in this.light&&this.light.showPopover()}lowerLight(){this.light.hidden=!0,"hidePopove\
r"in this.light&&this.light.matches(":popover-open")&&this.light.hidePopover()}};function Jt(){let{cx:e,cy:n,rx:t,ry:r}=Yt,
o=`M${e-t} ${n}a${t} ${r} 0 1 0 ${2*t} 0a${t} ${r} 0 1 0 ${-2*t} 0z`;return A("svg",{class:"oval",viewBox:"0 0 100 100",
preserveAspectRatio:"none","aria-hidden":"true"},A("path",{class:"shade","fill-rule":"evenodd",d:`M0 0h100v100H0z${o}`}),
A("path",{class:"ring",d:o}))}var Zt=`
:host {
  --paper: #fbfaf7; --card: #fff; --tint: #f1efe8; --line: #e2dfd6; --edge: #8b8f96; --ink: #1c1f24; --dim: #5b6470;
  --accent: var(--deputy-accent, #0b5d4e); --on-accent: var(--deputy-on-accent, #fff);
  --good: #1a7f4b; --wait: #8a5a00; --bad: #b3261e;
  display: block; box-sizing: border-box; width: 100%; max-width: 27.5rem; margin-inline: auto; color-scheme: light;
  color: var(--ink); font: 400 1rem/1.5 var(--deputy-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  text-align: start; -webkit-text-size-adjust: 100%;
}
:host([hidden]) { display: none; }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { DARK } }
:host([theme=dark]) { DARK }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--deputy-radius, 12px); overflow: hid\
den; }
.top { display: flex; align-items: center; gap: .75rem; min-height: 3.25rem; padding: .25rem .5rem .25rem 1.25rem; borde\
r-block-end: 1px solid var(--line); }
.fold > .notice + .small { margin-block-start: .5rem; }
.bar { flex: 1; height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; }
.bar.idle { background: none; }
.bar i { display: block; height: 100%; width: 0; border-radius: 3px; background: var(--accent); transition: width .25s e\
ase-out; }
.count { margin: 0; font-size: .8125rem; color: var(--dim); font-variant-numeric: tabular-nums; white-space: nowrap; }
.body { padding: 1.25rem; }
h2 { font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; margin: 0 0 .5rem; overflow-wrap:\
 anywhere; }
h2:focus { outline: none; }
h3 { font-size: .9375rem; font-weight: 600; margin: 0 0 .5rem; }
p { margin: 0 0 .75rem; overflow-wrap: anywhere; }
.dim { color: var(--dim); font-size: .9375rem; }
.small { color: var(--dim); font-size: .8125rem; line-height: 1.45; }
button, summary, .option, select { min-height: 44px; }
button { font: inherit; font-weight: 600; padding: .625rem 1.25rem; border-radius: 8px; border: 1px solid var(--edge); c\
olor: var(--ink); background: transparent; cursor: pointer; -webkit-tap-highlight-color: transparent; }
button.main, a.main { display: block; width: 100%; min-height: 48px; color: var(--on-accent); background: var(--accent);\
 border-color: var(--accent); }
button.main:hover, a.main:hover { filter: brightness(1.08); }
a.main { font-weight: 600; padding: .75rem 1.25rem; border-radius: 8px; text-align: center; text-decoration: none; }
button.quiet { border-color: transparent; font-weight: 500; color: var(--dim); padding-inline: .75rem; }
button.quiet:hover { color: var(--ink); background: var(--tint); }
button:disabled { opacity: .55; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: grid; gap: .5rem; margin-block-start: 1.25rem; }
.actions + details { margin-block-start: 1rem; }
.box { background: var(--tint); border-radius: 8px; padding: .875rem 1rem; margin: 0 0 1rem; }
.box h3 { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; font-size: .9375rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.limits { margin: .625rem 0 0; padding: .625rem 0 0 1.125rem; border-block-start: 1px solid var(--line); font-size: .875\
rem; }
.limits li { overflow-wrap: anywhere; }
details { border-block-start: 1px solid var(--line); }
details:last-of-type { border-block-end: 1px solid var(--line); }
summary { display: flex; align-items: center; justify-content: space-between; cursor: pointer; font-weight: 500; list-st\
yle: none; padding-block: .25rem; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; width: .5rem; height: .5rem; margin-inline: .5rem .25rem; border: solid var(--dim); border\
-width: 0 2px 2px 0; transform: rotate(45deg) translate(-2px, -2px); }
details[open] > summary::after { transform: rotate(225deg); }
.fold { padding-block-end: .75rem; }
.notice { max-height: 15rem; overflow: auto; border: 1px solid var(--line); border-radius: 8px; padding: .75rem .875rem;\
 font-size: .875rem; line-height: 1.5; }
.notice p:last-child { margin: 0; }
.option { display: flex; align-items: center; gap: .75rem; padding-block: .375rem; cursor: pointer; }
.option input { flex: none; inline-size: 1.25rem; block-size: 1.25rem; margin: 0; accent-color: var(--accent); }
label.field { display: block; font-size: .875rem; font-weight: 500; margin-block-end: .75rem; }
select { display: block; width: 100%; margin-block-start: .25rem; font: inherit; font-size: 1rem; color: var(--ink); bac\
kground: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: .5rem .625rem; }
.stage { position: relative; aspect-ratio: 4 / 3; background: #101214; overflow: hidden; }
.stage.tall { aspect-ratio: 4 / 3.6; }
video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; transform: scaleX(-1); }
.oval { position: absolute; inset: 0; width: 100%; height: 100%; }
.oval .shade { fill: #0f1113; fill-opacity: .5; }
.oval .ring { fill: none; stroke: #fff; stroke-width: 3; stroke-opacity: .9; transition: stroke .2s; vector-effect: non-\
scaling-stroke; }
.stage.ready .ring { stroke: #7fe0b2; }
.stage.recording .ring { stroke: #ff8a80; stroke-width: 4; }
.chip { position: absolute; inset-block-end: .75rem; inset-inline: .75rem; margin: 0; display: flex; justify-content: ce\
nter; pointer-events: none; }
.chip span { max-width: 100%; background: rgb(15 17 19 / .86); color: #fff; border-radius: 99px; padding: .375rem .875re\
m; font-size: .9375rem; font-weight: 500; text-align: center; }
.chip span:empty { display: none; }
.recording .chip span::before { content: ""; display: inline-block; width: .625rem; height: .625rem; margin-inline-end: \
.5rem; border-radius: 50%; background: #ff6b5e; }
.count-in { position: absolute; inset: 0; display: grid; place-items: center; color: #fff; font-size: 5rem; font-weight:\
 700; line-height: 1; text-shadow: 0 2px 12px rgb(0 0 0 / .7); }
.task { display: grid; grid-template-columns: 5.5rem 1fr; gap: 1rem; align-items: center; min-height: 7.5rem; }
.task h2 { font-size: 1.25rem; margin: 0; }
.task .small { margin: 0 0 .125rem; font-weight: 600; }
.again { color: var(--wait); font-weight: 500; margin: 0 0 .75rem; }
svg.picture { width: 5.5rem; height: 5.5rem; padding: .5rem; border-radius: 12px; background: var(--tint); color: var(--\
accent); }
svg.picture path, svg.mark path { fill: none; stroke: currentColor; stroke-width: 4; stroke-linecap: round; stroke-linej\
oin: round; }
.digits { font-size: 2.125rem; font-weight: 700; letter-spacing: .3em; font-variant-numeric: tabular-nums; margin: .5rem\
 0 0; direction: ltr; }
.time { position: absolute; inset-inline: 0; inset-block-end: 0; height: 5px; background: rgb(255 255 255 / .3); overflo\
w: hidden; }
.time i { display: block; height: 100%; background: #fff; transform-origin: left; transform: scaleX(0); }
:host(:dir(rtl)) .time i { transform-origin: right; }
.level { height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; margin-block: .5rem 1rem; }
.level i { display: block; height: 100%; width: 100%; background: var(--good); transform-origin: left; transform: scaleX\
(0); }
.result { text-align: center; padding-block: 1rem .25rem; }
.result .mark-ground { display: inline-grid; place-items: center; width: 4.5rem; height: 4.5rem; border-radius: 50%; bac\
kground: var(--tint); color: var(--dim); margin-block-end: 1rem; }
.result .good { color: var(--good); } .result .bad { color: var(--bad); } .result .wait { color: var(--wait); } .result \
.plain { color: var(--accent); }
svg.mark { width: 2.5rem; height: 2.5rem; } svg.mark path { stroke-width: 9; }
.reasons { list-style: none; margin: 0 0 .75rem; padding: 0; }
.reasons li { overflow-wrap: anywhere; margin-block-end: .375rem; }
.busy { inline-size: 2.5rem; block-size: 2.5rem; margin: 1.5rem auto 1rem; border-radius: 50%; border: 4px solid var(--l\
ine); border-block-start-color: var(--accent); animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.light { position: fixed; inset: 0; width: 100vw; height: 100vh; height: 100dvh; max-width: none; max-height: none; marg\
in: 0; padding: 0; border: 0; display: grid; place-items: center; z-index: 2147483647; background: #000; }
.calm { width: min(22rem, 88vw); min-height: 17rem; display: grid; place-items: center; padding: 1.5rem; border-radius: \
12px; background: #1d2025; color: #e8e6e1; text-align: center; font-size: 1.125rem; font-weight: 500; }
@media (prefers-reduced-motion: reduce) { .busy { animation-duration: 4s; } .bar i, .oval .ring { transition: none; } }
@media (max-width: 30rem) { .card { border-radius: var(--deputy-radius, 10px); } .body { padding: 1rem; } }
@media (forced-colors: active) { .bar i, .time i, .level i { background: Highlight; } svg.picture { forced-color-adjust:\
 auto; } }
`,Xt=`--paper: #16181c; --card: #1d2025; --tint: #24282e; --line: #30343b; --edge: #6c7480; --ink: #e8e6e1; --dim: #a0a8\
b3;
--accent: var(--deputy-accent, #6fd3bd); --on-accent: var(--deputy-on-accent, #10231f); --good: #5fce93; --wait: #e6b450\
; --bad: #ff8a80; color-scheme: dark;`;function _n(e){let n=Zt.replaceAll("DARK",Xt);if("adoptedStyleSheets"in e&&"repla\
ceSync"in CSSStyleSheet.prototype){let r=new CSSStyleSheet;r.replaceSync(n),e.adoptedStyleSheets=[r];return}let t=document.
createElement("style");t.textContent=n,e.append(t)}var wn=["session","token","locale","theme"],Qt=["session","token","transfer-code","base-url","locale"];function vn(e){if(globalThis.
customElements===void 0||customElements.get("deputy-verify")!==void 0)return;let n=nr(e);for(let t of wn)er(n.prototype,
t);customElements.define("deputy-verify",n)}function er(e,n){Object.defineProperty(e,n,{configurable:!0,enumerable:!0,get(){
return this.getAttribute(n)??""},set(t){t==null?this.removeAttribute(n):this.setAttribute(n,String(t))}})}function nr(e){
return class extends HTMLElement{static observedAttributes=Qt;#n=this.attachShadow({mode:"closed"});#e;#r=!1;connectedCallback(){
for(let t of wn)this.#o(t);this.#i()}disconnectedCallback(){this.#a()}attributeChangedCallback(t,r,o){r===o||!this.isConnected||
(t==="locale"&&this.#e!==void 0?this.#e.language=this.#t():this.#i())}#o(t){let r=Object.getOwnPropertyDescriptor(this,t)?.
value;r!==void 0&&(Reflect.deleteProperty(this,t),Reflect.set(this,t,r))}#i(){this.#a(),!this.#r&&(this.#r=!0,queueMicrotask(
()=>{this.#r=!1,this.isConnected&&this.#e===void 0&&this.#d()}))}#d(){let t=this.getAttribute("session")??"",r=this.getAttribute(
"token")??void 0,o=this.getAttribute("transfer-code")??void 0;if(t===""||r===void 0&&o===void 0)return;let i=this.#s();this.#n.
replaceChildren(),_n(this.#n),this.#e=new K({calls:fe({base_url:i,session_id:t,client_token:r,transfer_code:o}),frame:new z(
this.#n),language:this.#t(),worklet_script:tr(e,i),is_elsewhere:r===void 0,onScreen:a=>this.#c(t,a)})}#a(){this.#e?.close(),
this.#e=void 0}#s(){let t=this.getAttribute("base-url");return t===null?new URL(e).origin:new URL(t,document.baseURI).href.
replace(/\/+$/,"")}#t(){let t=this.getAttribute("locale")??this.closest("[lang]")?.getAttribute("lang");return ve(t==null?
navigator.languages:[t])}#c(t,{screen:r,opened:o,steps_done:i,result:a}){let s=o?.steps_total??0;if(this.#l("progress",{
session_id:t,screen:r.name,steps_done:i,steps_total:s}),r.name==="done"&&a!==void 0){let{verification_id:d,human_ref:l,assurance_level:u,
token:g}=a;this.#l("verified",{session_id:t,verification_id:d,human_ref:l,assurance_level:u,token:g})}if(r.name==="faile\
d"){let{code:d,reasons:l}=r;this.#l("failed",{session_id:t,code:d,reasons:l})}r.name==="cancelled"&&this.#l("cancelled",
{session_id:t})}#l(t,r){this.dispatchEvent(new CustomEvent(t,{detail:r,bubbles:!0,composed:!0}))}}}function tr(e,n){return/\/widget(-[\w.]+)?\.js$/.
test(new URL(e).pathname)?e:`${n}/widget.js`}se();vn(import.meta.url);
