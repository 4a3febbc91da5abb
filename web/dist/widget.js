/* Deputy, the element deputy-verify. Made from web/widget and web/capture by `node web/build.ts`. */
var q="deputy-pcm";function ie(){let{AudioWorkletProcessor:n,registerProcessor:e}=globalThis;n===void 0||e===void 0||e(q,class extends n{#n=new Float32Array(
512);#e=0;process([t]){let r=t?.[0];return r===void 0||(this.#n.set(r,this.#e),this.#e+=r.length,this.#e<512)||(this.port.
postMessage(this.#n,[this.#n.buffer]),this.#n=new Float32Array(512),this.#e=0),!0}})}var T=class extends Error{problem;constructor(e){super(e),this.problem=e}},wn=640,vn=480;async function se(n){if(!isSecureContext)
throw new T("denied_insecure");let e=navigator.mediaDevices;if(e?.getUserMedia===void 0||globalThis.AudioContext===void 0)
throw new T("unsupported");let t=await e.getUserMedia(kn(n)).catch(async a=>{throw new T(await Sn(a,n))}),r=await e.enumerateDevices().
catch(()=>[]),o=a=>r.filter(s=>s.kind===a&&s.deviceId!=="").map(({deviceId:s,label:d})=>({device_id:s,label:d})),[i]=t.getVideoTracks();
return{stream:t,cameras:o("videoinput"),microphones:o("audioinput"),camera_id:i?.getSettings().deviceId,microphone_id:t.
getAudioTracks()[0]?.getSettings().deviceId,video_label:i?.label??""}}function kn({camera_id:n,microphone_id:e,with_sound:t}){
return{video:{width:wn,height:vn,facingMode:"user",...n&&{deviceId:n}},audio:t&&{...{echoCancellation:!1,noiseSuppression:!1,
autoGainControl:!1,channelCount:1},...e&&{deviceId:e}}}}async function Sn(n,e){let{name:t,message:r}=n instanceof Error?
n:{name:"",message:""};return t==="NotFoundError"||t==="OverconstrainedError"?xn(e):t==="NotReadableError"||t==="AbortEr\
ror"?"busy":t==="TypeError"?"unsupported":Tn()?"denied_policy":/system/i.test(r)?"denied_system":await Mn()?"denied_quer\
y":"denied_plain"}async function xn({with_sound:n}){let e=await navigator.mediaDevices.enumerateDevices().catch(()=>[]);
return n&&e.some(({kind:t})=>t==="videoinput")?"absent_microphone":"absent"}function Tn(){let{featurePolicy:n}=document;
return n?.allowsFeature("camera")===!1||n?.allowsFeature("microphone")===!1}async function Mn(){let n=async e=>(await navigator.
permissions.query({name:e})).state;try{return(await Promise.all([n("camera"),n("microphone")])).includes("denied")}catch{
return!1}}function ae(n,e){let t=matchMedia("(prefers-reduced-motion: reduce)").matches;return{screen:{name:"loading"},language:n,
is_elsewhere:e,wants_less_motion:t,accommodations:new Set(t?["no_flash"]:[]),wants_sound:!0,reads_aloud:!1,steps_done:0,
has_slow_line:!1,confirmed:{}}}function w(n){n.media?.close(),n.media=void 0}function W({summary:n}){return n!==void 0&&
n.provider!=="builtin"}var de={answer_late:{type:"interrupted",why:"slow"},answer_early:{type:"interrupted",why:"interrupted"},step_mismatch:{type:"\
interrupted",why:"interrupted"},media_invalid:{type:"interrupted",why:"retry"},engine_busy:{type:"interrupted",why:"engi\
ne"},engine_unavailable:{type:"interrupted",why:"engine"},rate_limited:{type:"interrupted",why:"engine"},session_unknown:{
type:"failed",code:"unknown"},session_taken:{type:"failed",code:"taken"},nonce_mismatch:{type:"failed",code:"unknown"},verification_locked:{
type:"failed",code:"locked"},not_enrolled:{type:"failed",code:"not_enrolled"},cross_site_request:{type:"failed",code:"bl\
ocked"}},ce={expired:"expired",judged:"used",cancelled:"cancelled"};function le({code:n,state:e=""},t){return n==="sessi\
on_closed"?e==="expired"&&t?{type:"interrupted",why:"timeout"}:{type:"failed",code:Object.hasOwn(ce,e)?ce[e]??"other":"o\
ther"}:(Object.hasOwn(de,n)?de[n]:void 0)??{type:"failed",code:"other"}}var An=["done","failed","cancelled"],En=["framing","opening","prepare","recording","sending"];function U({name:n}){return An.
includes(n)}function M({name:n}){return En.includes(n)}function ue(n,e){return U(n)?n:e.type==="cancel"?{name:"cancelled"}:
e.type==="failed"?{name:"failed",code:e.code,reasons:e.reasons??[]}:e.type==="interrupted"?n.name==="consent"?n:{name:"r\
etry",why:e.why,reasons:e.reasons??[]}:Cn(n,e)??n}function Cn(n,e){switch(e.type){case"described":return n.name==="loadi\
ng"?{name:"consent"}:void 0;case"accepted":return n.name==="consent"?{name:"devices"}:void 0;case"accepted_external":return n.
name==="consent"?{name:"opening"}:void 0;case"devices_ready":return n.name==="devices"?{name:"framing"}:void 0;case"devi\
ces_failed":return n.name==="devices"||M(n)?{name:"devices",problem:e.problem}:void 0;case"start":return n.name==="frami\
ng"?{name:"opening"}:void 0;case"opened_external":return n.name==="opening"?{name:"provider"}:void 0;case"choose_device":
return n.name==="framing"?{name:"devices"}:void 0;case"again":return n.name!=="retry"&&n.name!=="devices"?void 0:{name:e.
is_described?"devices":"loading"};default:return Pn(n,e)}}function Pn(n,e){switch(e.type){case"revealed":return n.name===
"opening"||n.name==="sending"?{name:"prepare",step:e.step,reasons:e.reasons}:void 0;case"started":return n.name==="prepa\
re"?{...n,name:"recording"}:void 0;case"recorded":return n.name==="recording"?{name:"sending",step:n.step}:void 0;case"s\
ending_trouble":return n.name==="sending"?Wn(n.step,e.trouble):void 0;case"answered":return n.name==="sending"||n.name===
"provider"?{name:e.passkey_required?"passkey":"finishing"}:void 0;case"confirmed":return n.name==="passkey"?{name:"finis\
hing"}:void 0;case"passkey_failed":return n.name==="passkey"?{name:"passkey",problem:e.problem}:void 0;case"judged":return n.
name==="finishing"?{name:"done"}:void 0;default:return}}function Wn(n,e){return e===void 0?{name:"sending",step:n}:{name:"\
sending",step:n,trouble:e}}var v=class extends Error{code;state;retry_after_s;constructor({code:e,detail:t,state:r},o){super(typeof t=="string"?t:""),
this.code=typeof e=="string"?e:"",this.state=typeof r=="string"?r:void 0,this.retry_after_s=o===null?void 0:Number(o)}},
k=class extends Error{};function A(n,e,t){return pe("POST",n,JSON.stringify(e),t)}function pe(n,e,t,{signal:r,onShare:o}){
return new Promise((i,a)=>{r.throwIfAborted();let s=new XMLHttpRequest;s.open(n,e),s.responseType="json",t!==null&&s.setRequestHeader(
"content-type","application/json"),o!==void 0&&(s.upload.onprogress=({loaded:d,total:l})=>o(d/l)),r.addEventListener("ab\
ort",()=>s.abort(),{once:!0}),s.onabort=()=>a(r.reason),s.onerror=()=>a(new k),s.onload=()=>{let{status:d,response:l}=s;
if(l===null||typeof l!="object")return a(new k);if(d>=200&&d<300)return i(l);a(new v(l,s.getResponseHeader("retry-after")))},
s.send(t)})}var Dn=["en","de"];function me({base_url:n,session_id:e,client_token:t,transfer_code:r}){let o=s=>`${n}/v1/v\
at/auth/${s}`,i=s=>o(`sessions/${encodeURIComponent(e)}/${s}`),a=t===void 0?{transfer_code:r}:{client_token:t};return{consent:s=>pe(
"GET",o("consent"),null,s),describe:s=>A(i("watch"),a,s),open:({consent_version:s,accommodations:d,language:l},u)=>A(i("\
open"),{...a,consent:{version:s},accommodations:d,...Dn.includes(l)&&{locale:l}},u),answer:({nonce:s},{step_id:d},l,u)=>A(
i("steps"),{nonce:s,step_id:d,...l},u),passkey:({nonce:s},d)=>A(i("passkey"),{nonce:s},d),finish:({nonce:s,purpose:d},l,u)=>A(
o(d==="enroll"?"enroll":"capture"),{session_id:e,nonce:s,...l},u),cancel:({nonce:s},d)=>A(i("cancel"),{nonce:s},d),collect:s=>A(
i("collect"),a,s)}}var Ln=/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu,On=/(?<=\p{M}{4})\p{M}/gu,Rn=/[\p{L}\p{M}\p{N}]+/gu,
he=/[^\x20-\x7e]/,fe=[["Latin"],["Han","Hiragana","Katakana","Bopomofo","Hangul"],...["Cyrillic","Greek","Armenian","Geo\
rgian","Hebrew","Arabic","Ethiopic"].map(n=>[n]),...["Devanagari","Bengali","Gurmukhi","Gujarati","Tamil","Telugu","Kann\
ada"].map(n=>[n]),...["Malayalam","Sinhala","Thai","Lao","Myanmar","Khmer"].map(n=>[n])].map(n=>new RegExp(`^[\\p{scx=Com\
mon}${n.map(e=>`\\p{scx=${e}}`).join("")}]$`,"u"));function ge(n){return he.test(n)?n.toWellFormed().replaceAll(Ln,j).replaceAll(
On,j).replaceAll(Rn,Hn):n}function j(n){return`\u27E8U+${n.codePointAt(0)?.toString(16).toUpperCase().padStart(4,"0")}\u27E9`}
function Hn(n){if(!he.test(n))return n;let e=[...n].filter(r=>/\p{L}/u.test(r));if(e.length===0||fe.some(r=>e.every(o=>r.
test(o))))return n;let t=fe.find(r=>e.some(o=>r.test(o)));return[...n].map(r=>!/\p{L}/u.test(r)||t?.test(r)?r:j(r)).join(
"")}function c(n,e={},...t){let r=document.createElement(n);return e.class!==void 0&&(r.className=e.class),ye(r,e.attributes??
{}),e.onClick!==void 0&&r.addEventListener("click",e.onClick),r.append(...t.filter(o=>o!==void 0&&o!==!1)),r}var Fn="htt\
p://www.w3.org/2000/svg";function E(n,e,...t){let r=document.createElementNS(Fn,n);return ye(r,e),r.append(...t),r}function p(n){
return ge(n)}function ye(n,e){for(let[t,r]of Object.entries(e))r!==void 0&&r!==!1&&n.setAttribute(t,r===!0?"":String(r))}var _e={title_verify:"Best\xE4tige, dass du es bist",title_enroll:"Gesicht und Stimme registrieren",loading:"Einen Momen\
t\u2026",cancel:"Abbrechen",again:"Noch einmal",sound_on:"Ton an",sound_off:"Ton aus",consent_asked_by:"{name} bittet di\
ch zu best\xE4tigen, dass du es bist.",consent_asked:"Du wirst gebeten zu best\xE4tigen, dass du es bist.",consent_enroll:"\
Beim n\xE4chsten Mal zeigt ein kurzer Blick in die Kamera, dass du es bist.",consent_allows:"Wenn du best\xE4tigst, bekommt\
 {agent} ein Token:",consent_may:"Darf",consent_on:"Bei",consent_limit:"Ausgabenlimit",consent_no_limit:"Keines",consent_until:"\
G\xFCltig f\xFCr",consent_for:"Zweck",consent_what:"Etwa eine Minute: Du schaust in die Kamera, bewegst den Kopf, sprich\
st sechs Ziffern und zeigst ein Handzeichen.",consent_flash:"Etwa vier Sekunden lang wechselt der Bildschirm die Farbe, \
h\xF6chstens dreimal pro Sekunde. Wenn flackerndes Licht f\xFCr dich ein Risiko ist, w\xE4hle einen anderen Weg.",consent_text:"\
Dem stimmst du zu",consent_version:"Version {version}",consent_accept:"Zustimmen und weiter",consent_external:"{provider\
} pr\xFCft deine Identit\xE4t auf einer eigenen Seite. Dort gelten eigene Bedingungen.",other_way:"Ein anderer Weg",other_intro:"\
Lass weg, was du nicht kannst. Dein Passkey tritt an die Stelle, es wird also nicht weniger gepr\xFCft.",other_no_voice:"\
Ich kann nicht sprechen, oder es ist hier zu laut",other_no_hand:"Ich kann kein Handzeichen zeigen",other_no_flash:"Kein\
e wechselnden Farben auf dem Bildschirm",other_motion:"Dein Ger\xE4t bittet um weniger Bewegung, deshalb entfallen die wech\
selnden Farben.",other_none:"Du musst das nicht tun. Brich ab, und die Seite, von der du kommst, bietet dir an, was ohne\
 geht.",duration_minutes:"{count} Min.",duration_hours:"{count} Std.",devices_title:"Kamera und Mikrofon erlauben",devices_title_camera:"\
Kamera erlauben",devices_ask:"Dein Browser fragt jetzt. W\xE4hle \u201EZulassen\u201C. Bilder und Ton gehen an den Dienst, der sie pr\
\xFCft, und werden nicht gespeichert.",denied_title:"Die Kamera ist blockiert",denied_query:"Diese Seite darf Kamera ode\
r Mikrofon nicht benutzen. \xD6ffne die Website-Einstellungen neben der Adresse, erlaube beides und versuch es noch einmal.",
denied_plain:"Der Browser hat keine Erlaubnis bekommen. Erlaube Kamera und Mikrofon f\xFCr diese Seite in den Einstellungen\
 des Browsers und versuch es noch einmal.",denied_policy:'Die Seite, die das hier zeigt, darf die Kamera nicht benutzen.\
 Wer sie entwickelt, muss es erlauben: allow="camera; microphone; publickey-credentials-get".',denied_insecure:"Die Kame\
ra geht nur auf Seiten mit https. \xD6ffne diese Seite \xFCber https.",denied_system:"Das System blockiert die Kamera f\xFC\
r diesen Browser. Erlaube sie in den Datenschutz-Einstellungen des Ger\xE4ts und versuch es noch einmal.",absent_title:"\
Keine Kamera gefunden",absent:"Schlie\xDF eine Kamera und ein Mikrofon an, oder \xF6ffne diese Seite auf dem Telefon.",absent_microphone:"\
Schlie\xDF ein Mikrofon an, oder w\xE4hle einen anderen Weg ohne Sprechen.",busy_title:"Die Kamera ist belegt",busy:"Ein\
 anderes Programm benutzt die Kamera. Schlie\xDF es und versuch es noch einmal.",lost_title:"Die Kamera ist weg",lost:"K\
amera oder Mikrofon wurde getrennt oder ausgeschaltet. Schlie\xDF sie wieder an und versuch es noch einmal.",unsupported_title:"\
Dieser Browser kann nicht aufnehmen",unsupported:"Nimm eine aktuelle Version von Safari, Firefox, Chrome oder Edge.",framing_title:"\
Bring dein Gesicht ins Oval",framing_start:"Los",framing_camera:"Kamera",framing_microphone:"Mikrofon",framing_level:"Pe\
gel des Mikrofons",framing_settings:"Kamera und Ton",framing_read_aloud:"Anweisungen vorlesen",hint_ready:"Sieht gut aus",
hint_dark:"Zu dunkel: Wende dich einem Fenster oder einer Lampe zu",hint_bright:"Zu hell: Wende dich vom Licht ab",hint_backlit:"\
Licht von hinten: Dreh dich so, dass es auf dein Gesicht f\xE4llt",hint_far:"Komm n\xE4her",hint_near:"Geh etwas zur\xFCck",
hint_off_centre:"R\xFCck in die Mitte",step_of:"Schritt {done} von {total}",step_get_ready:"Gleich geht es los",step_flash_soon:"\
Der Bildschirm wechselt jetzt langsam die Farbe. Schau hierher und halt still.",step_recording:"Aufnahme",step_again:"No\
ch einmal",sending_title:"Wird gesendet",sending_slow:"Deine Verbindung ist langsam. Lass diese Seite offen.",sending_offline:"\
Keine Verbindung. Es geht weiter, sobald du wieder online bist.",sending_busy:"Der Dienst ist ausgelastet. Es geht gleic\
h weiter.",opening:"Die Sitzung wird ge\xF6ffnet\u2026",finishing:"Wird gepr\xFCft\u2026",provider_title:"Weiter mit {pr\
ovider}",provider_text:"Es \xF6ffnet sich ein neuer Tab. Komm danach hierher zur\xFCck, diese Seite merkt es von selbst.",
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
 in DEPUTY_WIDGET_ORIGINS eintragen.",end_other:"Etwas ist schiefgegangen. Geh zur\xFCck und fang neu an."};var $={title_verify:"Verify that it\u2019s you",title_enroll:"Enroll your face and voice",loading:"One moment\u2026",cancel:"\
Cancel",again:"Try again",sound_on:"Sound on",sound_off:"Sound off",consent_asked_by:"{name} asks you to confirm that it\
 is you.",consent_asked:"You are asked to confirm that it is you.",consent_enroll:"Next time, a short look into the came\
ra shows that it is you.",consent_allows:"If you confirm, {agent} gets a token:",consent_may:"May",consent_on:"On",consent_limit:"\
Spending limit",consent_no_limit:"None",consent_until:"Valid for",consent_for:"Purpose",consent_what:"About a minute: yo\
u look into the camera, move your head, say six digits and show a hand sign.",consent_flash:"For about four seconds the \
screen changes colour, at most three times a second. If flashing light is a risk for you, choose another way.",consent_text:"\
What you agree to",consent_version:"Version {version}",consent_accept:"Agree and continue",consent_external:"{provider} \
checks your identity on its own page. It has its own terms.",other_way:"Another way",other_intro:"Leave out what you can\
\u2019t do. Your passkey takes its place, so nothing is checked less.",other_no_voice:"I can\u2019t speak, or it\u2019s too loud h\
ere",other_no_hand:"I can\u2019t show a hand sign",other_no_flash:"No changing colours on the screen",other_motion:"Your\
 device asks for less motion, so the changing colours are left out.",other_none:"You don\u2019t have to do this. Cancel, and \
the page that sent you offers what it can without it.",duration_minutes:"{count} min",duration_hours:"{count} h",devices_title:"\
Allow camera and microphone",devices_title_camera:"Allow the camera",devices_ask:"Your browser asks now. Choose \u201CAllow\u201D.\
 Pictures and sound go to the service that checks them, and are not stored.",denied_title:"The camera is blocked",denied_query:"\
This page may not use the camera or the microphone. Open the site settings next to the address, allow both, then try aga\
in.",denied_plain:"The browser did not get permission. Allow camera and microphone for this page in the settings of the \
browser, then try again.",denied_policy:'The page that shows this may not use the camera. Its developer must allow it: a\
llow="camera; microphone; publickey-credentials-get".',denied_insecure:"The camera works on https pages only. Open this \
page over https.",denied_system:"The system blocks the camera for this browser. Allow it in the privacy settings of the \
device, then try again.",absent_title:"No camera found",absent:"Connect a camera and a microphone, or open this page on \
your phone.",absent_microphone:"Connect a microphone, or choose another way and leave out speaking.",busy_title:"The cam\
era is in use",busy:"Another program uses the camera. Close it, then try again.",lost_title:"The camera is gone",lost:"T\
he camera or microphone was disconnected or switched off. Connect it, then try again.",unsupported_title:"This browser c\
an\u2019t record",unsupported:"Use a current version of Safari, Firefox, Chrome or Edge.",framing_title:"Put your face i\
n the oval",framing_start:"Start",framing_camera:"Camera",framing_microphone:"Microphone",framing_level:"Microphone leve\
l",framing_settings:"Camera and sound",framing_read_aloud:"Read the instructions aloud",hint_ready:"Looks good",hint_dark:"\
Too dark: turn towards a window or a lamp",hint_bright:"Too bright: turn away from the light",hint_backlit:"Light from b\
ehind: turn so that it falls on your face",hint_far:"Come closer",hint_near:"Move back a little",hint_off_centre:"Move t\
o the middle",step_of:"Step {done} of {total}",step_get_ready:"Get ready",step_flash_soon:"The screen changes colour now\
, slowly. Look here and hold still.",step_recording:"Recording",step_again:"Once more",sending_title:"Sending",sending_slow:"\
Your connection is slow. Keep this page open.",sending_offline:"No connection. This goes on as soon as you are online ag\
ain.",sending_busy:"The service is busy. This goes on in a moment.",opening:"Opening the session\u2026",finishing:"Check\
ing\u2026",provider_title:"Continue with {provider}",provider_text:"It opens in a new tab. Come back here when you are d\
one; this page notices by itself.",provider_open:"Open {provider}",provider_waiting:"Waiting for the result\u2026",passkey_title:"\
Confirm with your passkey",passkey_title_create:"Create a passkey",passkey_text:"Your device asks for your fingerprint, \
face or PIN. The passkey signs this recording and nothing else.",passkey_text_request:"Your device asks for your fingerp\
rint, face or PIN. The passkey signs this recording and this token, nothing else.",passkey_text_create:"You confirm late\
r verifications with it. Your device asks for your fingerprint, face or PIN.",passkey_use:"Use passkey",passkey_create:"\
Create passkey",passkey_not_used:"The passkey was not used. Try again.",passkey_exists:"This device has a passkey for yo\
u already. Use another device, or cancel.",passkey_unsupported:"This browser can\u2019t use passkeys here.",done_title:"\
It\u2019s you",done_title_enroll:"You\u2019re enrolled",done:"You can close this.",done_token:"{agent} has its token. Yo\
u can close this.",done_elsewhere:"Go on where you started. You can close this.",retry_title:"That didn\u2019t work yet",
retry_left:"Attempts left: {count}",failed_title:"Not verified",failed_closed_title:"This can\u2019t go on",cancelled_title:"\
Cancelled",cancelled:"The recording was thrown away.",why_hidden:"The page was in the background while it recorded. Keep\
 it in front.",why_slow:"The recording arrived too late. Move closer to your router, or use another network.",why_interrupted:"\
The recording was interrupted.",why_timeout:"The three minutes are over.",why_offline:"There was no connection for too l\
ong.",why_engine:"The service can\u2019t check recordings right now. Try again in a minute.",why_retry:"The recording wa\
s not good enough.",end_expired:"This link has expired. Go back and start again.",end_used:"This verification is finishe\
d already.",end_taken:"This verification goes on on another device.",end_cancelled:"This verification was cancelled.",end_unknown:"\
This link is not valid. Go back and start again.",end_locked:"Too many attempts. Wait a while, then start again.",end_not_enrolled:"\
You have not enrolled yet.",end_review:"The result is not clear enough. Go back to the page that sent you.",end_failed:"\
The check says that this may not be you.",end_blocked:"This page may not call the verification service. Its developer mu\
st add its address to DEPUTY_WIDGET_ORIGINS.",end_other:"Something went wrong. Go back and start again."};var be={en:$,de:_e};function we(n){for(let e of n){let t=e.toLowerCase().split("-")[0]??"",r=Object.hasOwn(be,t)?be[t]:void 0;
if(r!==void 0)return{language:t,texts:r}}return{language:"en",texts:$}}function f(n,e){return n.replaceAll(/\{(\w+)\}/g,
(t,r)=>Object.hasOwn(e,r)?String(e[r]):t)}var Vn=3600;function ve(n,e,t){let{actions:r,resources:o,constraints:i,expires_in:a=Vn,purpose:s}=n,d=i?.max_spend_usd;return[
[e.consent_may,r.join(", ")],[e.consent_on,o.join(", ")],[e.consent_limit,d===void 0?e.consent_no_limit:In(d,t)],[e.consent_until,
Nn(a,e)],...s===void 0?[]:[[e.consent_for,s]]]}function In(n,e){return new Intl.NumberFormat(e,{style:"currency",currency:"\
USD"}).format(n)}function Nn(n,e){let t=Math.ceil(n/60);return t<120&&t!==60?f(e.duration_minutes,{count:t}):f(e.duration_hours,
{count:Math.round(t/6)/10})}var O="M48 16c-13 0-21 10-21 25 0 17 9 29 21 29s21-12 21-29c0-15-8-25-21-25z",R="M14 92c3-12 13-16 24-18l2-7M82 92c-3-12\
-13-16-24-18l-2-7",Z="M40 40v3M56 40v3",Gn="M36 42c2 3 6 3 8 0M52 42c2 3 6 3 8 0",ke="M42 56c3 3 9 3 12 0",S=[O,R,Z,ke],
Kn="M24 42H6M13 34l-8 8 8 8",zn="M72 42h18M83 34l8 8-8 8",Y="M34 50v22c0 10 6 16 15 16s15-6 15-16V50",J="M34 66l-9-10",Bn="\
M34 50c0-7 30-7 30 0M41 48v10M49 48v10M57 48v10",qn={neutral:S,turn_left:[...S,Kn],turn_right:[...S,zn],look_up:[...S,"M\
86 58V26M78 34l8-8 8 8"],look_down:[...S,"M86 26v32M78 50l8 8 8-8"],open_mouth:[O,R,Z,"M48 51c-5 0-7 3-7 7s2 7 7 7 7-3 7\
-7-2-7-7-7z"],blink:[O,R,Gn,ke],move_closer:[...S,"M10 30V12h18M10 12l10 10M86 30V12H68M86 12L76 22"],flash:[...S,"M48 1\
0V4M20 20l-5-5M76 20l5-5M16 44H9M80 44h7"],speak:[O,R,Z,"M43 55h10c0 6-10 6-10 0z","M76 48c4 5 4 13 0 18M83 43c7 8 7 20 \
0 28"],thumbs_up:["M36 52l8-22c2-6 10-4 9 3l-2 13h13c8 0 8 10 3 11 5 1 5 9 0 10 4 2 3 9-2 9 2 3 0 8-5 8H46c-5 0-10-3-10-\
3zM36 50H22v34h14"],victory:[Y,J,"M38 50L30 16M50 48l10-33M49 50v8M57 48v10M64 52c0-5-7-6-7-6"],open_palm:[Y,J,"M34 52V2\
6M44 48V16M54 48V18M64 52V26","M25 56c-6-6-11 0-7 5l16 18"],point_up:[Y,Bn,J,"M41 48V12"]};function Se({kind:n,movement:e,
gesture:t}){return ee(qn[e??t??n]??S,"picture")}var xe=["M16 50l22 22 42-46"],X=["M26 26l44 44M70 26L26 70"],Te=["M36 52\
a18 18 0 1 1 0-.1zM50 48h34v14M70 48v10"],Me=["M76 34a32 32 0 1 0 4 24M78 16v20H58"],Q=["M12 30h46c4 0 6 2 6 6v26c0 4-2 \
6-6 6H12c-4 0-6-2-6-6V36c0-4 2-6 6-6zM64 44l24-12v34L64 54"];function ee(n,e){return E("svg",{viewBox:"0 0 96 96",class:e,
"aria-hidden":"true",focusable:"false"},...n.map(r=>E("path",{d:r})))}function y(n){return c("h2",{attributes:{tabindex:-1}},n)}function m(n,e){return c("p",e===void 0?{}:{class:e},n)}function x(n,e){
let t=c("button",{class:"main",attributes:{type:"button"},onClick:e},n);return c("div",{class:"actions"},t)}function D(n,e,t){
let r=c("input",{attributes:{type:"checkbox"}});return r.checked=e,r.addEventListener("change",()=>t(r.checked)),c("labe\
l",{class:"option"},r,c("span",{},n))}function L(n,e,...t){let r=c("div",{class:"fold"},...t);return c("details",{attributes:{
open:e}},c("summary",{},n),r)}function b(n,e,t,r){let o=c("div",{class:`mark-ground ${n}`},ee(e,"mark"));return c("div",
{class:"result"},o,y(t),...r.map(i=>m(i)))}function Ae(n,{accept:e}){let{summary:t,consent:r,language:o}=n,{texts:i}=o,a=t?.purpose==="enroll";return[y(a?i.title_enroll:
i.title_verify),m(Un(n)),...t?.request===void 0?[]:[$n(t.request,i,o.language)],...jn(n),...r===void 0?[]:[Yn(r,o.language,
i)],...W(n)?[]:[Jn(n)],x(i.consent_accept,e)]}function Un({summary:n,language:{texts:e}}){if(n?.purpose==="enroll")return e.
consent_enroll;let t=n?.asked_by;return t===void 0?e.consent_asked:f(e.consent_asked_by,{name:p(t)})}function jn(n){let{
summary:e,language:t}=n,{texts:r}=t;return W(n)?[m(f(r.consent_external,{provider:p(e?.provider??"")}),"dim")]:[m(r.consent_what,
"dim"),m(r.consent_flash,"dim")]}function $n(n,e,t){let r=ve(n,e,t).flatMap(([i,a])=>[c("dt",{},i),c("dd",a===e.consent_no_limit?
{class:"none"}:{},p(a))]),o=f(e.consent_allows,{agent:p(n.agent_id)});return c("div",{class:"box"},c("h3",{},o),c("dl",{},
...r))}function Yn({texts:n,version:e},t,r){let i=(n[t]??n.en??"").split(`

`).map(s=>m(p(s))),a={role:"region",tabindex:0,"aria-label":r.consent_text};return L(r.consent_text,!0,c("div",{class:"n\
otice",attributes:a},...i),m(f(r.consent_version,{version:p(e)}),"small"))}function Jn({accommodations:n,wants_less_motion:e,
language:{texts:t}}){let r=o=>D(t[`other_${o}`],n.has(o),i=>{i?n.add(o):n.delete(o)});return L(t.other_way,n.size>0,e&&m(
t.other_motion,"dim"),m(t.other_intro,"dim"),r("no_voice"),r("no_hand"),r("no_flash"),m(t.other_none,"small"))}var Zn={denied_query:"denied_title",denied_plain:"denied_title",denied_policy:"denied_title",denied_insecure:"denied_tit\
le",denied_system:"denied_title",absent:"absent_title",absent_microphone:"absent_title",busy:"busy_title",lost:"lost_tit\
le",unsupported:"unsupported_title"};function Ce(n,{language:{texts:e},accommodations:t},{again:r}){if(n===void 0){let i=t.
has("no_voice")?e.devices_title_camera:e.devices_title;return[b("plain",Q,i,[e.devices_ask])]}let o=e[Zn[n]];return[b("w\
ait",Q,o,[e[n]]),x(e.again,r)]}function Pe(n,e){let{texts:t}=n.language;return[y(t.framing_title),x(t.framing_start,e.start),
L(t.framing_settings,!1,...Xn(n,e))]}function Xn(n,{chooseDevice:e}){let{texts:t}=n.language,{cameras:r=[],microphones:o=[],
camera_id:i,microphone_id:a}=n.media?.devices??{},s=n.media?.microphone!==void 0;return[Ee(t.framing_camera,r,i,d=>{n.camera_id=
d,e()}),s&&Ee(t.framing_microphone,o,a,d=>{n.microphone_id=d,e()}),s&&Qn(t.framing_level),D(t.sound_on,n.wants_sound,d=>{
n.wants_sound=d}),"speechSynthesis"in globalThis&&D(t.framing_read_aloud,n.reads_aloud,d=>{n.reads_aloud=d})]}function Qn(n){
let e=c("div",{class:"level",attributes:{"aria-hidden":"true"}},c("i"));return c("div",{class:"small"},n,e)}function Ee(n,e,t,r){
let o=e.map(({device_id:a,label:s},d)=>{let l=c("option",{},s===""?`${n} ${d+1}`:p(s));return l.value=a,l.selected=a===t,
l}),i=c("select",{},...o);return i.addEventListener("change",()=>r(i.value)),c("label",{class:"field"},n,i)}function We(n){return[c("div",{class:"result"},c("div",{class:"busy"}),y(n))]}function De({language:{texts:n},summary:e,
opened:t}){let r=p(e?.provider??""),o=t?.redirect_url;return[y(f(n.provider_title,{provider:r})),m(n.provider_text),...et(
o)?[nt(o,f(n.provider_open,{provider:r}))]:[],m(n.provider_waiting,"dim")]}function et(n){return n!==void 0&&/^https?:\/\//.
test(n)}function nt(n,e){return c("div",{class:"actions"},c("a",{class:"main",attributes:{href:n,target:"_blank",rel:"no\
opener noreferrer"}},e))}function Le(n,{language:{texts:e},summary:t,challenge:r},{usePasskey:o}){let i=r?.ceremony==="c\
reate",a=t?.request===void 0?e.passkey_text:e.passkey_text_request,s=i?e.passkey_title_create:e.passkey_title;return[b("\
plain",Te,s,[i?e.passkey_text_create:a]),...n===void 0?[]:[m(e[`passkey_${n}`],"again")],...r===void 0?[]:[x(i?e.passkey_create:
e.passkey_use,o)]]}function Oe({language:{texts:n},summary:e,is_elsewhere:t}){let r=e?.request?.agent_id,o=r===void 0?n.
done:f(n.done_token,{agent:p(r)}),i=e?.purpose==="enroll"?n.done_title_enroll:n.done_title;return[b("good",xe,i,[t?n.done_elsewhere:
o])]}function Re({why:n,reasons:e},{language:{texts:t},attempts_left:r},{again:o}){let i=e.length>0?e.map(p):[t[`why_${n}`]],
a=r===void 0?[]:[f(t.retry_left,{count:r})];return[b("wait",Me,t.retry_title,[...i,...a]),x(t.again,o)]}function He({code:n,
reasons:e},{language:{texts:t}}){let o=n==="failed"||n==="review"?t.failed_title:t.failed_closed_title;return[b("bad",X,
o,[t[`end_${n}`],...e.map(p)])]}function Fe({language:{texts:n}}){return[b("plain",X,n.cancelled_title,[n.cancelled])]}function ne(n,e,{language:{texts:t},opened:r}){let{prompt:o,digits:i,index:a,kind:s}=n,d=f(t.step_of,{done:a+1,total:r?.
steps_total??0}),l=c("div",{},m(d,"small"),y(p(o)),s==="flash"&&m(t.step_flash_soon,"dim"));return[...e.map(u=>m(`${t.step_again}\
: ${p(u)}`,"again")),c("div",{class:"task"},Se(n),l),...i===void 0?[]:[tt(i)],c("p",{class:"trouble dim",attributes:{hidden:!0}})]}
function tt(n){return c("p",{class:"digits",attributes:{"aria-hidden":"true"}},[...n].join(" "))}function Ve(n,e){let{screen:t,language:r}=n;switch(t.name){case"consent":return Ae(n,e);case"devices":return Ce(t.problem,
n,e);case"framing":return Pe(n,e);case"prepare":case"recording":return ne(t.step,t.reasons,n);case"sending":return ne(t.
step,[],n);case"provider":return De(n);case"passkey":return Le(t.problem,n,e);case"done":return Oe(n);case"retry":return Re(
t,n,e);case"failed":return He(t,n);case"cancelled":return Fe(n);default:return We(r.texts[t.name])}}function Ie(n,e,t,r){let{screen:o,language:i,summary:a}=n,{texts:s}=i;e.language=i.language,e.label=a?.purpose==="enroll"?
s.title_enroll:s.title_verify,e.cancel.textContent=s.cancel,e.cancel.hidden=U(o),e.stage(ot(o)),o.name!=="prepare"&&e.countIn(
""),e.share(it(n)),e.count(st(n));let d=rt(n);return d!==r&&e.body.replaceChildren(...Ve(n,t)),e.trouble(at(o,s)),d}function rt({
screen:n,language:e,challenge:t}){let r="step"in n?n.step.step_id:JSON.stringify(n);return`${e.language} ${t?.ceremony} ${r}`}
function ot({name:n}){return n==="recording"?"recording":M({name:n})?"waiting":void 0}function it({screen:n,opened:e,steps_done:t}){
return n.name==="done"||n.name==="finishing"||n.name==="passkey"?1:e===void 0||e.steps_total===0?0:t/e.steps_total}function st({
screen:n,opened:e}){return e!==void 0&&"step"in n?`${n.step.index+1} / ${e.steps_total}`:""}function at(n,e){if(n.name===
"sending")return n.trouble===void 0?e.sending_title:e[`sending_${n.trouble}`]}var dt={ready:660,done:880},Ne=.12,ct=.06,H=class{#n;tone(e){this.#n??=new AudioContext;let{destination:t,currentTime:r}=this.#n,
o=this.#n.createGain();o.gain.setValueAtTime(ct,r),o.gain.exponentialRampToValueAtTime(.001,r+Ne);let i=this.#n.createOscillator();
i.frequency.value=dt[e],i.connect(o).connect(t),i.start(),i.stop(r+Ne)}say(e,t){if(!("speechSynthesis"in globalThis))return;
this.hush();let r=new SpeechSynthesisUtterance(e);r.lang=t,speechSynthesis.speak(r)}hush(){"speechSynthesis"in globalThis&&
speechSynthesis.cancel()}close(){this.hush(),this.#n?.close(),this.#n=void 0}};async function Ge(n){return n.ceremony==="create"?{passkey_registration:await lt(n.options)}:{passkey:await ut(n.options)}}
async function lt(n){let{challenge:e,user:t,excludeCredentials:r=[],extensions:o,...i}=n,a={...i,challenge:F(e),user:{...t,
id:F(t.id)},excludeCredentials:r.map(Be)},s=Ke(await navigator.credentials.create({publicKey:a})),d=s.response;return{...ze(
s),response:{clientDataJSON:C(d.clientDataJSON),attestationObject:C(d.attestationObject),transports:d.getTransports?.()??
[]}}}async function ut(n){let{challenge:e,allowCredentials:t=[],extensions:r,...o}=n,i={...o,challenge:F(e),allowCredentials:t.
map(Be)},a=Ke(await navigator.credentials.get({publicKey:i})),s=a.response;return{...ze(a),response:{clientDataJSON:C(s.
clientDataJSON),authenticatorData:C(s.authenticatorData),signature:C(s.signature),...s.userHandle!==null&&{userHandle:C(
s.userHandle)}}}}function Ke(n){if(n instanceof PublicKeyCredential)return n;throw new DOMException("no passkey was give\
n","NotAllowedError")}function ze(n){let{id:e,rawId:t,type:r,authenticatorAttachment:o}=n;return{id:e,rawId:C(t),type:r,
...o!==null&&{authenticatorAttachment:o},clientExtensionResults:n.getClientExtensionResults()}}function Be({id:n,...e}){
return{...e,id:F(n)}}function F(n){let e=atob(n.replaceAll("-","+").replaceAll("_","/"));return Uint8Array.from(e,t=>t.charCodeAt(
0))}function C(n){return btoa(String.fromCharCode(...new Uint8Array(n))).replaceAll("+","-").replaceAll("/","_").replaceAll(
"=","")}function qe(n){let e=n instanceof Error?n.name:"";return e==="InvalidStateError"?"exists":e==="NotAllowedError"||
e==="AbortError"?"not_used":"unsupported"}async function Ue({state:n,calls:e,signal:t}){if(n.opened===void 0)throw new Error("no session is open");n.challenge??=await e.
passkey(n.opened,{signal:t})}async function je({state:n,send:e}){if(n.challenge!==void 0)try{n.confirmed=await Ge(n.challenge),
e({type:"confirmed"})}catch(t){e({type:"passkey_failed",problem:qe(t)})}}async function $e(n){let{state:e,calls:t,send:r,
signal:o}=n;if(e.opened===void 0)throw new Error("no session is open");let i=await t.finish(e.opened,e.confirmed,{signal:o});
if(e.attempts_left=i.attempts_left,i.decision!=="pass")return pt(i,n);let a=e.summary?.request!==void 0&&!e.is_elsewhere;
e.result=a?{...i,...await t.collect({signal:o})}:i,r({type:"judged"})}function pt({decision:n,reasons:e,attempts_left:t},{
send:r}){n==="review"?r({type:"failed",code:"review",reasons:e}):n==="retry"||t>0?r({type:"interrupted",why:"retry",reasons:e}):
r({type:"failed",code:"failed",reasons:e})}function h(n,e){return new Promise((t,r)=>{e?.throwIfAborted();let o=setTimeout(t,Math.max(0,n-performance.now()));e?.addEventListener(
"abort",()=>{clearTimeout(o),r(e.reason)},{once:!0})})}async function Ye(n,e,t,r,o){let{canvas:i,draw:a}=mt(n,e),s=[],d=1e3/e.fps-12,l=h(t+r,o).then(()=>!1);for(let u=Number.NEGATIVE_INFINITY;s.
length<e.max_frames;){let _=await Promise.race([ft(n).then(()=>!0),l]),g=performance.now();if(!_||g-t>r)break;g<t||g-u<d||
(u=g,a(),s.push(ht(i,e.jpeg_quality,g-t)))}return Promise.all(s)}function mt(n,{width:e,height:t}){let r=document.createElement(
"canvas");r.width=e,r.height=t;let o=r.getContext("2d",{alpha:!1});if(o===null)throw new Error("This browser cannot draw\
 pictures.");return{canvas:r,draw:()=>{let a=Math.max(e/n.videoWidth,t/n.videoHeight),[s,d]=[e/a,t/a];o.drawImage(n,(n.videoWidth-
s)/2,(n.videoHeight-d)/2,s,d,0,0,e,t)}}}function ft(n){return new Promise(e=>{"requestVideoFrameCallback"in n?n.requestVideoFrameCallback(
e):requestAnimationFrame(e)})}function ht(n,e,t){return new Promise((r,o)=>{n.toBlob(i=>i===null?o(new Error("A picture \
could not be encoded.")):r({t_ms:t,jpeg:i}),"image/jpeg",e)})}async function te(n){let e=new FileReader,t=new Promise((o,i)=>{e.onload=()=>o(String(e.result)),e.onerror=()=>i(new Error(
"The recording could not be read."))});e.readAsDataURL(n instanceof Blob?n:new Blob([n]));let r=await t;return r.slice(r.
indexOf(",")+1)}async function Je({video:n,microphone:e,settings:t},r,o,i,a){let s=r.kind==="speak"?e?.record(o):void 0;try{let[d]=await Promise.
all([Ye(n,t,o,r.duration_ms,a),i()]),l=s?.stop();return{frames:await Promise.all(d.map(async({t_ms:u,jpeg:_})=>({t_ms:u,
jpeg:await te(_)}))),...l!==void 0&&{audio:{t0_ms:l.t0_ms,pcm16:await te(l.pcm16)}}}}finally{s?.stop()}}var gt={red:"#f00",green:"#0f0",blue:"#00f",black:"#000"},yt=334;async function Ze(n,{colors:e=[],slot_ms:t=0},r,o){let i=Math.max(yt,t);try{for(let[a,s]of e.entries())n.style.backgroundColor=
gt[s],n.hidden=!1,await h(r+(a+1)*i,o)}finally{n.hidden=!0}}var V={first:2200,flash:2600,aloud:2600,other:1400},Xe=700,_t=200,bt=.55;async function Qe(n,e){let{state:t,frame:r,voice:o,
send:i,signal:a}=e;r.say(p(n.prompt)),t.reads_aloud&&o.say(n.prompt,t.language.language);let s=performance.now()+wt(n,t);
for(let d=Math.floor((s-performance.now())/Xe);d>0;d--)await h(s-d*Xe,a),r.countIn(String(d));await h(s-_t,a),o.hush(),t.
wants_sound&&o.tone("ready"),await h(s,a),i({type:"started"})}function wt({kind:n,index:e},{reads_aloud:t}){return n==="\
flash"?V.flash:t?V.aloud:e===0?V.first:V.other}async function en(n,e){let{state:t,frame:r,voice:o,send:i,signal:a}=e,{media:s,
opened:d,has_slow_line:l}=t;if(d?.capture===void 0||s===void 0)throw new Error("nothing is open to record with");let u=Math.
min(d.capture.jpeg_quality,l?bt:1),_={video:r.video,microphone:s.microphone,settings:{...d.capture,jpeg_quality:u}},g=performance.
now();r.time(n.duration_ms);try{let B=()=>vt(n,g,e);t.recording=await Je(_,n,g,B,a)}finally{r.time(void 0)}t.wants_sound&&
o.tone("done"),i({type:"recorded"})}async function vt(n,e,{state:t,frame:r,signal:o}){if(!(n.colors===void 0||n.colors.length===
0)){r.raiseLight(t.language.texts.step_flash_soon);try{await Ze(r.light,n,e,o)}finally{r.lowerLight()}}}function on(n){return Uint8Array.from({length:n.length/4},(e,t)=>{let r=t*4;return(n[r]??0)*77+(n[r+1]??0)*150+(n[r+2]??
0)*29>>8})}function kt(n){let e=tn(n,nn),t=tn(n,(r,o)=>!nn(r,o));return e<55?t-e>70?"backlit":"dark":e>205?"bright":t-e>
70?"backlit":"ready"}function St(n){let e=xt(n),t=e.reduce((s,d)=>s+d,0);if(t<24)return"ready";let r=rn(e,t*.08),o=rn(e,
t*.92),i=(o-r+1)/48,a=(r+o+1)/2/48;return i>.8?"near":Math.abs(a-.5)>.2?"off_centre":i<.25?"far":"ready"}function sn(n){
let e=n.at(-1);if(e===void 0)return"ready";let t=kt(e);return t==="ready"?St(n):t}function nn(n,e){let t=(n+.5-24)/15.84,
r=(e+.5-64*.47)/(64*.36);return t*t+r*r<=1}function tn(n,e){let t=0,r=0;return n.forEach((o,i)=>{e(i%48,Math.floor(i/48))&&
(t+=o,r+=1)}),r===0?0:t/r}function xt(n){let e=new Array(48).fill(0),[t,...r]=n;return t?.forEach((o,i)=>{r.some(s=>Math.
abs((s[i]??o)-o)>9)&&(e[i%48]=(e[i%48]??0)+1)}),e}function rn(n,e){let t=0;return n.findIndex(r=>(t+=r,t>=e))}async function an(n,e,t){let{context:r,source:o}=Tt(n,e),i=new re(r.sampleRate,e),a=await At(r,t,s=>i.take(s));return o.
connect(a),await r.resume(),{record:s=>i.record(s),onLevel:s=>i.onLevel(s),async close(){o.disconnect(),await r.close()}}}
function Tt(n,e){let t=new AudioContext({sampleRate:e});try{return{context:t,source:t.createMediaStreamSource(n)}}catch{
t.close();let r=new AudioContext;return{context:r,source:r.createMediaStreamSource(n)}}}var Mt=1024;async function At(n,e,t){
try{await n.audioWorklet.addModule(e);let r=new AudioWorkletNode(n,q,{numberOfOutputs:0});return r.port.onmessage=({data:o})=>t(
o),r}catch{let r=n.createScriptProcessor(Mt,1,1);return r.onaudioprocess=({inputBuffer:o})=>t(o.getChannelData(0).slice()),
r.connect(n.destination),r}}var re=class{#n;#e;#r;#o=()=>{};constructor(e,t){this.#n=e,this.#e=t}onLevel(e){this.#o=e}take(e){
this.#o(Math.sqrt(e.reduce((o,i)=>o+i*i,0)/e.length));let t=this.#r;if(t===void 0)return;let r=performance.now()-e.length*
1e3/this.#n;r<t.shown_at||(t.first_ms??=r-t.shown_at,t.batches.push(e))}record(e){let t={shown_at:e,first_ms:void 0,batches:[]};
return this.#r=t,{stop:()=>{this.#r===t&&(this.#r=void 0);let{first_ms:r,batches:o}=t;return{t0_ms:r??0,pcm16:Et(o,this.#n/
this.#e)}}}}};function Et(n,e){let t=new Float32Array(n.reduce((a,{length:s})=>a+s,0)),r=0;for(let a of n)t.set(a,r),r+=
a.length;let o=Math.floor(t.length/e),i=new DataView(new ArrayBuffer(o*2));for(let a=0;a<o;a++){let s=t.subarray(Math.floor(
a*e),Math.max(Math.floor(a*e)+1,Math.floor((a+1)*e))),d=s.reduce((l,u)=>l+u,0)/s.length;i.setInt16(a*2,Math.max(-1,Math.
min(1,d))*32767,!0)}return new Uint8Array(i.buffer)}var Ct=16e3,G=class n{devices;microphone;#n;constructor(e,t,r){this.devices=e,this.microphone=t,this.#n=r}static async open(e,{
video:t,script:r,onLost:o}){let i=await se(e);try{for(let s of i.stream.getTracks())s.addEventListener("ended",o);t.srcObject=
i.stream,await t.play();let a=e.with_sound?await an(i.stream,Ct,r):void 0;return new n(i,a,t)}catch(a){throw dn(i.stream,
t),a}}sampler(){let e=document.createElement("canvas");e.width=48,e.height=64;let t=e.getContext("2d",{alpha:!1,willReadFrequently:!0});
return()=>{let{videoWidth:r,videoHeight:o}=this.#n;if(t===null||r===0)return;let i=Math.min(r,o*48/64),a=(r-i)/2;return t.
drawImage(this.#n,a,0,i,o,0,0,48,64),on(t.getImageData(0,0,48,64).data)}}close(){dn(this.devices.stream,this.#n),this.microphone?.
close()}};function dn(n,e){for(let t of n.getTracks())t.stop();e.srcObject=null}var Pt=350,Wt=5,Dt=6e3,Lt=8;async function cn({state:n,frame:e,worklet_script:t,send:r,signal:o}){w(n);let i={camera_id:n.
camera_id,microphone_id:n.microphone_id,with_sound:!n.accommodations.has("no_voice")},a=()=>r({type:"devices_failed",problem:"\
lost"}),s=await G.open(i,{video:e.video,script:t,onLost:a});if(o.aborted)return s.close();n.media=s,r({type:"devices_rea\
dy"})}async function ln({state:n,frame:e,signal:t}){let r=n.media?.sampler();n.media?.microphone?.onLevel(a=>e.level(Math.
min(1,a*Lt)));let o=[],i=performance.now();for(;;){await h(performance.now()+Pt,t);let a=r?.();if(a===void 0)continue;o=
[...o,a].slice(-Wt);let s=sn(o),d=n.language.texts[`hint_${s}`];e.stage(s==="ready"?"ready":"waiting"),e.hint(d),!(performance.
now()-i<Dt)&&(i=performance.now(),e.say(d))}}var Ot=1500;async function un({state:n,calls:e,send:t,signal:r}){let[o,i]=await Promise.all([e.describe({signal:r}),e.consent(
{signal:r})]);n.summary=o,n.consent=i,t({type:"described"})}async function pn({state:n,calls:e,send:t,signal:r}){let o={
consent_version:n.consent?.version??"",accommodations:[...n.accommodations],language:n.language.language},i=await e.open(
o,{signal:r});n.opened=i,n.steps_done=0,i.step===void 0?t({type:"opened_external"}):t({type:"revealed",step:i.step,reasons:[]})}
async function mn({state:n,calls:e,send:t,signal:r}){for(;;){let{state:o}=await e.describe({signal:r});if(o!=="waiting"&&
o!=="open")break;await h(performance.now()+Ot,r)}t({type:"answered",passkey_required:n.opened?.passkey_required===!0})}async function fn({
state:n,calls:e,signal:t}){n.opened!==void 0&&await e.cancel(n.opened,{signal:t}).catch(()=>{})}var Rt=2500,Ht=6e4,Ft=1500,Vt=10;async function hn(n,e){let{state:t,send:r}=e,o=performance.now()+Ht,i=setTimeout(()=>{t.
has_slow_line=!0,r({type:"sending_trouble",trouble:"slow"})},Rt);try{let a;for(;a===void 0;)a=await It(n,e,performance.now()>
o);Nt(a,e)}finally{clearTimeout(i)}}async function It(n,e,t){let{state:r,calls:o,frame:i,send:a,signal:s}=e,{opened:d,recording:l,
media:u,steps_done:_}=r;if(d===void 0||l===void 0)throw new Error("nothing was recorded");let g={video_label:u?.devices.
video_label??""},B=P=>i.share((_+P)/d.steps_total);try{return await o.answer(d,n,{...l,device:g},{signal:s,onShare:B})}catch(P){
let oe=Gt(P);if(oe===void 0||t)throw P;a({type:"sending_trouble",trouble:oe}),await h(performance.now()+Kt(P),s);return}}
function Nt({reasons:n,step:e,steps_done:t},{state:r,send:o}){r.steps_done=t,r.recording=void 0,o(e===void 0?{type:"answ\
ered",passkey_required:r.opened?.passkey_required===!0}:{type:"revealed",step:e,reasons:n.map(({detail:i})=>i)})}function Gt(n){
return n instanceof k?"offline":n instanceof v&&["engine_busy","rate_limited"].includes(n.code)?"busy":void 0}function Kt(n){
let e=n instanceof v?n.retry_after_s:void 0;return e===void 0?Ft:Math.min(Vt,e)*1e3}async function gn(n){let{state:e}=n,{screen:t}=e;switch(t.name){case"loading":return un(n);case"devices":return t.problem===
void 0?cn(n):w(e);case"framing":return ln(n);case"opening":return pn(n);case"prepare":return Qe(t.step,n);case"recording":
return en(t.step,n);case"sending":return hn(t.step,n);case"provider":return mn(n);case"passkey":return Ue(n);case"finish\
ing":return $e(n);case"cancelled":return fn(n);default:return}}var K=class{#n;#e;#r=new H;#o=new AbortController;#i=new AbortController;#d="";#c=!1;constructor(e){this.#n=e,this.#e=ae(
e.language,e.is_elsewhere);let{signal:t}=this.#o;e.frame.cancel.addEventListener("click",()=>this.#s({type:"cancel"}),{signal:t}),
document.addEventListener("visibilitychange",()=>this.#h(),{signal:t}),addEventListener("pagehide",()=>this.#g(),{signal:t}),
this.#l(),this.#u()}set language(e){this.#e.language=e,this.#l()}close(){this.#o.abort(),this.#i.abort(),w(this.#e),this.#r.
close(),this.#n.frame.lowerLight()}#s(e){this.#c=!0,this.#t(e)}#t(e){if(this.#o.signal.aborted)return;let t=this.#e.screen,
r=ue(t,e);r!==t&&this.#a(r)}#a(e){let t=yn(e)===yn(this.#e.screen);this.#e.screen=e,this.#l(),!t&&(this.#u(),this.#n.onScreen(
this.#e))}async#u(){this.#i.abort(),this.#i=new AbortController;let{signal:e}=this.#i,{name:t}=this.#e.screen;!M({name:t})&&
t!=="devices"&&w(this.#e);let r={...this.#n,state:this.#e,voice:this.#r,signal:e};try{await gn({...r,send:o=>this.#t(o)}),
t==="passkey"&&this.#l()}catch(o){e.aborted||this.#p(o)}}#p(e){e instanceof T?this.#t({type:"devices_failed",problem:e.problem}):
e instanceof k?this.#f():e instanceof v?this.#m(e):this.#t({type:"failed",code:"other"})}#m(e){let{name:t}=this.#e.screen;
e.code==="answer_late"&&(this.#e.has_slow_line=!0);let r=le(e,M({name:t})||t==="passkey"),o=r.type==="failed"&&r.code===
"other";this.#t({...r,reasons:o&&e.message!==""?[e.message]:[]})}#f(){this.#e.summary===void 0&&navigator.onLine?this.#t(
{type:"failed",code:"blocked"}):this.#t({type:"interrupted",why:"offline"})}#h(){let{name:e}=this.#e.screen;(e==="prepar\
e"||e==="recording")&&document.visibilityState==="hidden"&&this.#t({type:"interrupted",why:"hidden"})}#g(){let{name:e}=this.#e.
screen;(M({name:e})||e==="devices")&&this.#t({type:"interrupted",why:"interrupted"}),w(this.#e)}#l(){let{frame:e}=this.#n,
t=this.#d;this.#d=Ie(this.#e,e,this.#y(),t),this.#c&&this.#d!==t&&e.focusHeading()}#y(){let e=this.#e,t=r=>this.#t(r);return{
accept:()=>this.#s({type:W(e)?"accepted_external":"accepted"}),start:()=>this.#s({type:"start"}),again:()=>this.#s({type:"\
again",is_described:e.summary!==void 0}),usePasskey:()=>{je({state:e,send:t})},chooseDevice:()=>this.#s({type:"choose_de\
vice"})}}};function yn(n){let e="step"in n?n.step.step_id:"",t=n.name==="devices"?n.problem??"":"";return`${n.name} ${e}\
 ${t}`}var zt={cx:50,cy:47,rx:25,ry:37},z=class{video=c("video",{attributes:{playsinline:!0,"aria-hidden":"true",tabindex:-1}});body=c(
"div",{class:"body"});cancel=c("button",{class:"quiet",attributes:{type:"button"}});light=c("div",{class:"light",attributes:{
hidden:!0,"aria-hidden":"true"}});#n=c("div",{class:"calm"});#e=c("i");#r=c("p",{class:"count"});#o;#i=c("span");#d=c("d\
iv",{class:"count-in",attributes:{"aria-hidden":"true"}});#c=c("i");#s=c("div",{class:"time",attributes:{hidden:!0}},this.#c);#t=c(
"div",{class:"spoken",attributes:{role:"status","aria-live":"polite"}});#a;constructor(e){this.video.muted=!0,this.light.
append(this.#n),this.light.popover="manual";let t=c("p",{class:"chip"},this.#i);this.#o=c("div",{class:"stage",attributes:{
hidden:!0}},this.video,Bt(),this.#d,t);let r=c("div",{class:"bar",attributes:{"aria-hidden":"true"}},this.#e),o=c("div",
{class:"top"},r,this.#r,this.cancel);this.#a=c("div",{class:"card",attributes:{role:"group"}},o,this.#o,this.#s,this.body),
e.append(this.#a,this.#t,this.light)}set label(e){this.#a.setAttribute("aria-label",e)}set language(e){this.#a.lang=e,this.#t.
lang=e}share(e){this.#e.style.width=`${Math.round(e*100)}%`}count(e){this.#r.textContent=e}level(e){let t=this.body.querySelector(
".level i");t!==null&&(t.style.transform=`scaleX(${e})`)}trouble(e){let t=this.body.querySelector(".trouble");t!==null&&
(t.hidden=e===void 0,t.textContent=e??"",e!==void 0&&this.say(e))}focusHeading(){this.body.querySelector("h2")?.focus({preventScroll:!0})}stage(e){
this.#o.hidden=e===void 0,this.#o.className=`stage ${e??""}`,e!=="waiting"&&e!=="ready"&&(this.#i.textContent="")}hint(e){
this.#i.textContent!==e&&(this.#i.textContent=e)}countIn(e){this.#d.textContent=e}time(e){for(let t of this.#c.getAnimations())
t.cancel();this.#s.hidden=e===void 0,e!==void 0&&this.#c.animate([{transform:"scaleX(1)"},{transform:"scaleX(0)"}],{duration:e,
fill:"forwards"})}say(e){this.#t.textContent!==e&&(this.#t.textContent=e)}raiseLight(e){this.#n.textContent=e,"showPopov\
er"in this.light&&this.light.showPopover()}lowerLight(){this.light.hidden=!0,"hidePopover"in this.light&&this.light.matches(
":popover-open")&&this.light.hidePopover()}};function Bt(){let{cx:n,cy:e,rx:t,ry:r}=zt,o=`M${n-t} ${e}a${t} ${r} 0 1 0 ${2*
t} 0a${t} ${r} 0 1 0 ${-2*t} 0z`;return E("svg",{class:"oval",viewBox:"0 0 100 100",preserveAspectRatio:"none","aria-hid\
den":"true"},E("path",{class:"shade","fill-rule":"evenodd",d:`M0 0h100v100H0z${o}`}),E("path",{class:"ring",d:o}))}var qt=`
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
.bar { flex: 1; height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; }
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
.box { background: var(--tint); border-radius: 8px; padding: .875rem 1rem; margin: 0 0 1rem; }
.box h3 { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; font-size: .9375rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
dd.none { color: var(--bad); font-weight: 600; }
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
.time { height: 4px; background: var(--line); overflow: hidden; }
.time i { display: block; height: 100%; background: var(--accent); transform-origin: left; transform: scaleX(0); }
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
`,Ut=`--paper: #16181c; --card: #1d2025; --tint: #24282e; --line: #30343b; --edge: #6c7480; --ink: #e8e6e1; --dim: #a0a8\
b3;
--accent: var(--deputy-accent, #6fd3bd); --on-accent: var(--deputy-on-accent, #10231f); --good: #5fce93; --wait: #e6b450\
; --bad: #ff8a80; color-scheme: dark;`;function _n(n){let e=qt.replaceAll("DARK",Ut);if("adoptedStyleSheets"in n&&"repla\
ceSync"in CSSStyleSheet.prototype){let r=new CSSStyleSheet;r.replaceSync(e),n.adoptedStyleSheets=[r];return}let t=document.
createElement("style");t.textContent=e,n.append(t)}var jt=["session","token","transfer-code","base-url","locale"];function bn(n){globalThis.customElements===void 0||customElements.
get("deputy-verify")!==void 0||customElements.define("deputy-verify",$t(n))}function $t(n){return class extends HTMLElement{static observedAttributes=jt;#n=this.
attachShadow({mode:"closed"});#e;#r=!1;connectedCallback(){this.#o()}disconnectedCallback(){this.#d()}attributeChangedCallback(t,r,o){
r===o||!this.isConnected||(t==="locale"&&this.#e!==void 0?this.#e.language=this.#s():this.#o())}#o(){this.#d(),!this.#r&&
(this.#r=!0,queueMicrotask(()=>{this.#r=!1,this.isConnected&&this.#e===void 0&&this.#i()}))}#i(){let t=this.getAttribute(
"session")??"",r=this.getAttribute("token")??void 0,o=this.getAttribute("transfer-code")??void 0;if(t===""||r===void 0&&
o===void 0)return;let i=this.#c();this.#n.replaceChildren(),_n(this.#n),this.#e=new K({calls:me({base_url:i,session_id:t,
client_token:r,transfer_code:o}),frame:new z(this.#n),language:this.#s(),worklet_script:Yt(n,i),is_elsewhere:r===void 0,
onScreen:a=>this.#t(t,a)})}#d(){this.#e?.close(),this.#e=void 0}#c(){let t=this.getAttribute("base-url");return t===null?
new URL(n).origin:new URL(t,document.baseURI).href.replace(/\/+$/,"")}#s(){let t=this.getAttribute("locale")??this.closest(
"[lang]")?.getAttribute("lang");return we(t==null?navigator.languages:[t])}#t(t,{screen:r,opened:o,steps_done:i,result:a}){
let s=o?.steps_total??0;if(this.#a("progress",{session_id:t,screen:r.name,steps_done:i,steps_total:s}),r.name==="done"&&
a!==void 0){let{verification_id:d,human_ref:l,assurance_level:u,token:_}=a;this.#a("verified",{session_id:t,verification_id:d,
human_ref:l,assurance_level:u,token:_})}if(r.name==="failed"){let{code:d,reasons:l}=r;this.#a("failed",{session_id:t,code:d,
reasons:l})}r.name==="cancelled"&&this.#a("cancelled",{session_id:t})}#a(t,r){this.dispatchEvent(new CustomEvent(t,{detail:r,
bubbles:!0,composed:!0}))}}}function Yt(n,e){return/\/widget(-[\w.]+)?\.js$/.test(new URL(n).pathname)?n:`${e}/widget.js`}ie();bn(import.meta.url);
