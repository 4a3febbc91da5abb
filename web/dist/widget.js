/* Deputy, the element deputy-verify. Made from web/widget and web/capture by `node web/build.ts`. */
var X="deputy-pcm";function me(){let{AudioWorkletProcessor:e,registerProcessor:n}=globalThis;e===void 0||n===void 0||n(X,class extends e{#n=new Float32Array(
512);#e=0;process([t]){let r=t?.[0];return r===void 0||(this.#n.set(r,this.#e),this.#e+=r.length,this.#e<512)||(this.port.
postMessage(this.#n,[this.#n.buffer]),this.#n=new Float32Array(512),this.#e=0),!0}})}var v=class extends Error{problem;constructor(n){super(n),this.problem=n}},Nn=640,Gn=480;async function fe(e){if(!isSecureContext)
throw new v("denied_insecure");let n=navigator.mediaDevices;if(n?.getUserMedia===void 0||globalThis.AudioContext===void 0)
throw new v("unsupported");let t=await he(e),r=await n.enumerateDevices().catch(()=>[]),i=a=>r.filter(s=>s.kind===a&&s.deviceId!==
"").map(({deviceId:s,label:d})=>({device_id:s,label:d})),[o]=t.getVideoTracks();return{stream:t,cameras:i("videoinput"),
microphones:i("audioinput"),camera_id:o?.getSettings().deviceId,microphone_id:t.getAudioTracks()[0]?.getSettings().deviceId,
video_label:o?.label??""}}async function he(e){try{return await navigator.mediaDevices.getUserMedia(Kn(e))}catch(n){let{
camera_id:t,microphone_id:r,with_sound:i}=e;if((t!==void 0||r!==void 0)&&ge(n))return he({camera_id:void 0,microphone_id:void 0,
with_sound:i});throw new v(await zn(n,e))}}function ge(e){let{name:n}=e;return["NotFoundError","OverconstrainedError"].includes(
n)}function Kn({camera_id:e,microphone_id:n,with_sound:t}){return{video:{width:Nn,height:Gn,...e===void 0?{facingMode:"u\
ser"}:{deviceId:{exact:e}}},audio:t&&{...{echoCancellation:!1,noiseSuppression:!1,autoGainControl:!1,channelCount:1},...n&&
{deviceId:{exact:n}}}}}async function zn(e,n){let{name:t,message:r}=e instanceof Error?e:{name:"",message:""};return ge(
e)?Bn(n):t==="NotReadableError"||t==="AbortError"?"busy":t==="TypeError"?"unsupported":jn()?"denied_policy":/system/i.test(
r)?"denied_system":await Un()?"denied_query":"denied_plain"}async function Bn({with_sound:e}){let n=await navigator.mediaDevices.
enumerateDevices().catch(()=>[]);return e&&n.some(({kind:t})=>t==="videoinput")?"absent_microphone":"absent"}function jn(){
let{featurePolicy:e}=document;return e?.allowsFeature("camera")===!1||e?.allowsFeature("microphone")===!1}async function Un(){
return be(await _e())}async function ye(e){let n=await _e();return new Promise(t=>{for(let r of n)r.addEventListener("ch\
ange",()=>be(n)||t(),{signal:e})})}function be(e){return e.some(({state:n})=>n==="denied")}async function _e(){let e=["c\
amera","microphone"];try{return await Promise.all(e.map(n=>navigator.permissions.query({name:n})))}catch{return[]}}function we(e,n){let t=matchMedia("(prefers-reduced-motion: reduce)").matches;return{screen:{name:"loading"},language:e,
is_elsewhere:n,wants_less_motion:t,accommodations:new Set(t?["no_flash"]:[]),wants_sound:!0,reads_aloud:!1,steps_done:0,
has_slow_line:!1,confirmed:{}}}function A(e){e.media?.close(),e.media=void 0}function _({summary:e}){return e!==void 0&&
e.provider!=="builtin"}var ve={answer_late:{type:"interrupted",why:"slow"},answer_early:{type:"interrupted",why:"interrupted"},step_mismatch:{type:"\
interrupted",why:"interrupted"},media_invalid:{type:"interrupted",why:"retry"},engine_unavailable:{type:"interrupted",why:"\
engine"},provider_unavailable:{type:"interrupted",why:"engine"},session_unknown:{type:"failed",code:"unknown"},session_taken:{
type:"failed",code:"taken"},nonce_mismatch:{type:"failed",code:"taken"},verification_locked:{type:"failed",code:"locked"},
not_enrolled:{type:"failed",code:"not_enrolled"},cross_site_request:{type:"failed",code:"blocked"}},qn=["engine_busy","r\
ate_limited","overloaded","shutting_down","storage_unavailable","clock_jumped"];function Q({code:e}){return qn.includes(
e)}var Se={expired:"expired",judged:"used",cancelled:"cancelled"};function ee({code:e,state:n=""},t){return e==="session\
_closed"?n==="expired"&&t?{type:"interrupted",why:"timeout"}:{type:"failed",code:Object.hasOwn(Se,n)?Se[n]??"other":"oth\
er"}:Q({code:e})?{type:"interrupted",why:"engine"}:(Object.hasOwn(ve,e)?ve[e]:void 0)??{type:"failed",code:"other"}}function ke(e){
return e==="open"?{type:"failed",code:"taken"}:ee({code:"session_closed",state:e},!1)}var $n=["done","failed","cancelled"],Yn=["framing","opening","prepare","recording","sending"];function O({name:e}){return $n.
includes(e)}function P({name:e}){return Yn.includes(e)}function xe(e,n){return O(e)?e:n.type==="cancel"?{name:"cancelled"}:
n.type==="failed"?{name:"failed",code:n.code,reasons:n.reasons??[]}:n.type==="interrupted"?e.name==="consent"?e:{name:"r\
etry",why:n.why,reasons:n.reasons??[]}:Jn(e,n)??e}function Jn(e,n){switch(n.type){case"described":return e.name==="loadi\
ng"?{name:"consent"}:void 0;case"accepted":return e.name==="consent"?{name:"devices"}:void 0;case"accepted_external":return e.
name==="consent"?{name:"opening"}:void 0;case"devices_ready":return e.name==="devices"?{name:"framing"}:void 0;case"devi\
ces_failed":return e.name==="devices"||P(e)?{name:"devices",problem:n.problem}:void 0;case"start":return e.name==="frami\
ng"?{name:"opening"}:void 0;case"opened_external":return e.name==="opening"?{name:"provider"}:void 0;case"choose_device":
return e.name==="framing"?{name:"devices"}:void 0;case"again":return e.name!=="retry"&&e.name!=="devices"?void 0:{name:n.
from};default:return Zn(e,n)}}function Zn(e,n){switch(n.type){case"revealed":return e.name==="opening"||e.name==="sendin\
g"?{name:"prepare",step:n.step,reasons:n.reasons}:void 0;case"started":return e.name==="prepare"?{...e,name:"recording"}:
void 0;case"recorded":return e.name==="recording"?{name:"sending",step:e.step}:void 0;case"sending_trouble":return e.name===
"sending"?Xn(e.step,n.trouble):void 0;case"answered":return e.name==="sending"||e.name==="provider"?{name:n.passkey_required?
"passkey":"finishing"}:void 0;case"confirmed":return e.name==="passkey"?{name:"finishing"}:void 0;case"passkey_failed":return e.
name==="passkey"?{name:"passkey",problem:n.problem}:void 0;case"judged":return e.name==="finishing"?{name:"done"}:void 0;case"\
undecided":return e.name==="finishing"?{name:"provider"}:void 0;default:return}}function Xn(e,n){return n===void 0?{name:"\
sending",step:e}:{name:"sending",step:e,trouble:n}}var b=class extends Error{code;state;retry_after_s;constructor({code:n,detail:t,state:r},i){super(typeof t=="string"?t:""),
this.code=typeof n=="string"?n:"",this.state=typeof r=="string"?r:void 0,this.retry_after_s=i===null?void 0:Number(i)}},
x=class extends Error{};function k(e,n,t){return Ee("POST",e,JSON.stringify(n),t)}function Ee(e,n,t,{signal:r,onShare:i}){
return new Promise((o,a)=>{r.throwIfAborted();let s=new XMLHttpRequest;s.open(e,n),s.responseType="json",t!==null&&s.setRequestHeader(
"content-type","application/json"),i!==void 0&&(s.upload.onprogress=({loaded:d,total:l})=>i(d/l)),r.addEventListener("ab\
ort",()=>s.abort(),{once:!0}),s.onabort=()=>a(r.reason),s.onerror=()=>a(new x),s.onload=()=>{let{status:d,response:l}=s;
if(l===null||typeof l!="object")return a(new x);if(d>=200&&d<300)return o(l);a(new b(l,s.getResponseHeader("retry-after")))},
s.send(t)})}var Qn=["en","de"];function Te({base_url:e,session_id:n,client_token:t,transfer_code:r}){let i=d=>`${e}/v1/v\
at/auth/${d}`,o=d=>i(`sessions/${encodeURIComponent(n)}/${d}`),a=t===void 0?{transfer_code:r}:{client_token:t},s=d=>t===
void 0?{nonce:d?.nonce}:{client_token:t};return{consent:d=>Ee("GET",i("consent"),null,d),session_id:n,describe:(d,l)=>k(
o("preview"),d===void 0?a:{nonce:d},l),open:({nonce:d,consent_version:l,accommodations:u,language:m},g)=>k(o("open"),{...d===
void 0?a:{nonce:d},...l!==void 0&&{consent:{version:l}},accommodations:u,...Qn.includes(m)&&{locale:m}},g),answer:({nonce:d},{
step_id:l},u,m)=>k(o("steps"),{nonce:d,step_id:l,...u},m),passkey:({nonce:d},l)=>k(o("passkey"),{nonce:d},l),finish:({nonce:d,
purpose:l},u,m)=>k(i(l==="enroll"?"enroll":"capture"),{session_id:n,nonce:d,...u},m),cancel:(d,l)=>k(o("cancel"),s(d),l),
watch:(d,l,u)=>k(o("watch"),{...s(d),...l!==void 0&&{after:l}},u),collect:d=>k(o("collect"),{client_token:t},d)}}var Me=String.raw`[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}`,et=/(?<=\p{M}{4})\p{M}/gu,nt=/[\p{L}\p{M}\p{N}]+/gu,
Pe=/[^\x20-\x7e]/,tt=[["Latin"],["Han","Hiragana","Katakana","Bopomofo","Hangul"],...["Cyrillic","Greek","Armenian","Geo\
rgian","Hebrew","Arabic","Ethiopic"].map(e=>[e]),...["Devanagari","Bengali","Gurmukhi","Gujarati","Tamil","Telugu","Kann\
ada"].map(e=>[e]),...["Malayalam","Sinhala","Thai","Lao","Myanmar","Khmer"].map(e=>[e])],Ae;function Ce(){return Ae??={emoji_or_unseen:rt(),
scripts:tt.map(e=>{let n=["Common",...e].map(t=>`\\p{scx=${t}}`);return new RegExp(`^[${n.join("")}]$`,"u")})},Ae}function We(e){
return Pe.test(e)?e.toWellFormed().replaceAll(Ce().emoji_or_unseen,(n,t)=>t??ne(n)).replaceAll(et,ne).replaceAll(nt,it):
e}function rt(){try{return new RegExp(String.raw`(\p{RGI_Emoji})|${Me}`,"gv")}catch{return new RegExp(`((?!))|${Me}`,"gu")}}function ne(e){return`\u27E8U+${e.codePointAt(0)?.toString(16).toUpperCase().padStart(4,"0")}\u27E9`}function it(e){if(!Pe.
test(e))return e;let{scripts:n}=Ce(),t=[...e].filter(i=>/\p{L}/u.test(i));if(t.length===0||n.some(i=>t.every(o=>i.test(o))))
return e;let r=n.find(i=>t.some(o=>i.test(o)));return[...e].map(i=>!/\p{L}/u.test(i)||r?.test(i)?i:ne(i)).join("")}function c(e,n={},...t){let r=document.createElement(e);return n.class!==void 0&&(r.className=n.class),Oe(r,n.attributes??
{}),n.onClick!==void 0&&r.addEventListener("click",n.onClick),r.append(...t.filter(i=>i!==void 0&&i!==!1)),r}var ot="htt\
p://www.w3.org/2000/svg";function C(e,n,...t){let r=document.createElementNS(ot,e);return Oe(r,n),r.append(...t),r}function p(e){
return We(e)}function Oe(e,n){for(let[t,r]of Object.entries(n))r!==void 0&&r!==!1&&e.setAttribute(t,r===!0?"":String(r))}var Le={title_verify:"Best\xE4tigen Sie, dass Sie es sind",title_enroll:"Gesicht und Stimme registrieren",loading:"Einen\
 Moment\u2026",cancel:"Abbrechen",again:"Noch einmal",sound_on:"Ton an",sound_off:"Ton aus",consent_asked_by:"{name} bit\
tet Sie zu best\xE4tigen, dass Sie es sind.",consent_asked:"Sie werden gebeten zu best\xE4tigen, dass Sie es sind.",consent_enroll:"\
Beim n\xE4chsten Mal zeigt ein kurzer Blick in die Kamera, dass Sie es sind.",consent_allows:"Wenn Sie best\xE4tigen, bekom\
mt {agent} ein Token:",consent_may:"Darf",consent_on:"Bei",consent_until:"G\xFCltig f\xFCr",consent_for:"Zweck",consent_what:"\
Etwa eine Minute: Sie schauen in die Kamera|bewegen den Kopf|sprechen sechs Ziffern|zeigen ein Handzeichen",consent_flash:"\
Etwa vier Sekunden lang wechselt der Bildschirm die Farbe, h\xF6chstens dreimal pro Sekunde. Wenn flackerndes Licht f\xFCr Sie\
 ein Risiko ist, w\xE4hlen Sie einen anderen Weg.",consent_text:"Dem stimmen Sie zu",consent_version:"Version {version}",
consent_accept:"Zustimmen und weiter",consent_external:"{provider} pr\xFCft Ihre Identit\xE4t auf einer eigenen Seite. Dort ge\
lten eigene Bedingungen.",other_way:"Ein anderer Weg",other_intro:"Lassen Sie weg, was Ihnen nicht m\xF6glich ist. Ihr Pass\
key tritt an die Stelle, es wird also nicht weniger gepr\xFCft.",other_no_voice:"Ich kann nicht sprechen, oder es ist hi\
er zu laut",other_no_hand:"Ich kann kein Handzeichen zeigen",other_no_flash:"Keine wechselnden Farben auf dem Bildschirm",
other_motion:"Ihr Ger\xE4t bittet um weniger Bewegung, deshalb entfallen die wechselnden Farben.",other_none:"Sie m\xFCssen\
 das nicht tun. Brechen Sie ab, und die Seite, von der Sie kommen, bietet Ihnen an, was ohne geht.",duration_minutes:"{c\
ount} Min.",duration_hours:"{count} Std.",devices_title:"Kamera und Mikrofon erlauben",devices_title_camera:"Kamera erla\
uben",devices_ask:"Ihr Browser fragt jetzt. W\xE4hlen Sie \u201EZulassen\u201C. Bilder und Ton gehen an den Dienst, der sie pr\xFCft, un\
d werden nicht gespeichert.",denied_title:"Die Kamera ist blockiert",denied_query:"Diese Seite darf Kamera oder Mikrofon\
 nicht benutzen. \xD6ffnen Sie die Website-Einstellungen neben der Adresse und erlauben Sie beides. Passiert dann nichts, v\
ersuchen Sie es noch einmal.",denied_plain:"Der Browser hat keine Erlaubnis bekommen. Erlauben Sie Kamera und Mikrofon f\
\xFCr diese Seite in den Einstellungen des Browsers und versuchen Sie es noch einmal.",denied_policy:'Die Seite, die das\
 hier zeigt, darf die Kamera nicht benutzen. Wer sie entwickelt, muss es erlauben: allow="camera; microphone; publickey-\
credentials-get".',denied_insecure:"Die Kamera geht nur auf Seiten mit https. \xD6ffnen Sie diese Seite \xFCber https.",
denied_system:"Das System blockiert die Kamera f\xFCr diesen Browser. Erlauben Sie sie in den Datenschutz-Einstellungen des\
 Ger\xE4ts und versuchen Sie es noch einmal.",absent_title:"Keine Kamera gefunden",absent:"Schlie\xDFen Sie eine Kamera und\
 ein Mikrofon an, oder \xF6ffnen Sie diese Seite auf dem Telefon.",absent_microphone:"Schlie\xDFen Sie ein Mikrofon an, ode\
r w\xE4hlen Sie einen anderen Weg ohne Sprechen.",busy_title:"Die Kamera ist belegt",busy:"Ein anderes Programm benutzt \
die Kamera. Schlie\xDFen Sie es und versuchen Sie es noch einmal.",lost_title:"Die Kamera ist weg",lost:"Kamera oder Mik\
rofon wurde getrennt oder ausgeschaltet. Schlie\xDFen Sie beides wieder an und versuchen Sie es noch einmal.",unsupported_title:"\
Dieser Browser kann nicht aufnehmen",unsupported:"Verwenden Sie eine aktuelle Version von Safari, Firefox, Chrome oder E\
dge.",framing_title:"Bringen Sie Ihr Gesicht ins Oval",framing_start:"Starten",framing_camera:"Kamera",framing_microphone:"\
Mikrofon",framing_level:"Pegel des Mikrofons",framing_settings:"Kamera und Ton",framing_read_aloud:"Anweisungen vorlesen",
hint_ready:"Sieht gut aus",hint_dark:"Zu dunkel: Wenden Sie sich einem Fenster oder einer Lampe zu",hint_bright:"Zu hell\
: Wenden Sie sich vom Licht ab",hint_backlit:"Licht von hinten: Drehen Sie sich so, dass es auf Ihr Gesicht f\xE4llt",hint_far:"\
Kommen Sie n\xE4her",hint_near:"Gehen Sie etwas zur\xFCck",hint_off_centre:"R\xFCcken Sie in die Mitte",step_of:"Schritt\
 {done} von {total}",step_get_ready:"Gleich geht es los",step_flash_soon:"Der Bildschirm wechselt jetzt langsam die Farb\
e. Schauen Sie hierher und halten Sie still.",step_recording:"Aufnahme",step_again:"Noch einmal",sending_title:"Wird ges\
endet",sending_slow:"Ihre Verbindung ist langsam. Lassen Sie diese Seite offen.",sending_offline:"Keine Verbindung. Es g\
eht weiter, sobald Sie wieder online sind.",sending_busy:"Der Dienst ist ausgelastet. Es geht gleich weiter.",opening:"D\
ie Sitzung wird ge\xF6ffnet\u2026",finishing:"Wird gepr\xFCft\u2026",provider_title:"Weiter mit {provider}",provider_text:"\
Es \xF6ffnet sich ein neuer Tab. Kommen Sie danach hierher zur\xFCck, diese Seite merkt es von selbst.",provider_open:"{\
provider} \xF6ffnen",provider_waiting:"Warten auf das Ergebnis\u2026",passkey_title:"Mit Ihrem Passkey best\xE4tigen",passkey_title_create:"\
Passkey anlegen",passkey_text:"Ihr Ger\xE4t fragt nach Fingerabdruck, Gesicht oder PIN. Der Passkey unterschreibt nur diese\
 Aufnahme.",passkey_text_request:"Ihr Ger\xE4t fragt nach Fingerabdruck, Gesicht oder PIN. Der Passkey unterschreibt nur di\
ese Aufnahme und dieses Token.",passkey_text_create:"Damit best\xE4tigen Sie sp\xE4tere Pr\xFCfungen. Ihr Ger\xE4t fragt nach Finger\
abdruck, Gesicht oder PIN.",passkey_use:"Passkey benutzen",passkey_create:"Passkey anlegen",passkey_not_used:"Der Passke\
y wurde nicht benutzt. Versuchen Sie es noch einmal.",passkey_exists:"Auf diesem Ger\xE4t gibt es schon einen Passkey f\xFCr S\
ie. Verwenden Sie ein anderes Ger\xE4t, oder brechen Sie ab.",passkey_unsupported:"Dieser Browser kann hier keine Passke\
ys benutzen.",done_title:"Sie sind best\xE4tigt",done_title_enroll:"Sie sind registriert",done:"Sie k\xF6nnen das hier schl\
ie\xDFen.",done_token:"{agent} hat das Token. Sie k\xF6nnen das hier schlie\xDFen.",done_elsewhere:"Machen Sie dort weit\
er, wo Sie angefangen haben. Sie k\xF6nnen das hier schlie\xDFen.",retry_title:"Das hat noch nicht geklappt",retry_left:"\
Verbleibende Versuche: {count}",failed_title:"Nicht best\xE4tigt",failed_closed_title:"Sie k\xF6nnen hier nicht fortfahren",
cancelled_title:"Abgebrochen",cancelled:"Es wurde nichts best\xE4tigt, und keine Aufnahme wird behalten.",why_hidden:"Di\
e Seite war w\xE4hrend der Aufnahme im Hintergrund. Lassen Sie sie im Vordergrund.",why_slow:"Die Aufnahme kam zu sp\xE4t a\
n. Gehen Sie n\xE4her an den Router, oder verwenden Sie ein anderes Netz.",why_interrupted:"Die Aufnahme wurde unterbroc\
hen.",why_timeout:"Die drei Minuten sind um.",why_offline:"Die Verbindung war zu lange weg.",why_engine:"Das kann gerade\
 nicht gepr\xFCft werden. Versuchen Sie es in einer Minute noch einmal.",why_retry:"Die Aufnahme war nicht gut genug.",end_expired:"\
Dieser Link ist abgelaufen. Gehen Sie zur\xFCck und fangen Sie neu an.",end_used:"Diese Pr\xFCfung ist schon abgeschlossen.",
end_taken:"Diese Pr\xFCfung l\xE4uft auf einem anderen Ger\xE4t.",end_cancelled:"Diese Pr\xFCfung wurde abgebrochen.",end_unknown:"\
Dieser Link ist nicht g\xFCltig. Gehen Sie zur\xFCck und fangen Sie neu an.",end_locked:"Zu viele Versuche. Warten Sie e\
ine Weile und fangen Sie dann neu an.",end_not_enrolled:"Sie sind noch nicht registriert.",end_review:"Das Ergebnis ist \
nicht klar genug. Gehen Sie zur\xFCck zu der Seite, von der Sie kommen.",end_failed:"Die Pr\xFCfung konnte nicht best\xE4tigen\
, dass Sie es sind.",end_blocked:"Diese Seite darf den Pr\xFCfdienst nicht aufrufen. Wer sie entwickelt, muss ihre Adresse \
in DEPUTY_WIDGET_ORIGINS eintragen.",end_other:"Etwas ist schiefgegangen. Gehen Sie zur\xFCck und fangen Sie neu an."};var te={title_verify:"Verify that it\u2019s you",title_enroll:"Enroll your face and voice",loading:"One moment\u2026",cancel:"\
Cancel",again:"Try again",sound_on:"Sound on",sound_off:"Sound off",consent_asked_by:"{name} asks you to confirm that it\
 is you.",consent_asked:"You are asked to confirm that it is you.",consent_enroll:"Next time, a short look into the came\
ra shows that it is you.",consent_allows:"If you confirm, {agent} gets a token:",consent_may:"May",consent_on:"On",consent_until:"\
Valid for",consent_for:"Purpose",consent_what:"About a minute: you look into the camera|move your head|say six digits|sh\
ow a hand sign",consent_flash:"For about four seconds the screen changes color, at most three times a second. If flashin\
g light is a risk for you, choose another way.",consent_text:"What you agree to",consent_version:"Version {version}",consent_accept:"\
Agree and continue",consent_external:"{provider} checks your identity on its own page. It has its own terms.",other_way:"\
Another way",other_intro:"Leave out what you can\u2019t do. Your passkey takes its place, so nothing is checked less.",other_no_voice:"\
I can\u2019t speak, or it\u2019s too loud here",other_no_hand:"I can\u2019t show a hand sign",other_no_flash:"No changin\
g colors on the screen",other_motion:"Your device asks for less motion, so the changing colors are left out.",other_none:"\
You don\u2019t have to do this. Cancel, and the page that sent you offers what it can without it.",duration_minutes:"{co\
unt} min",duration_hours:"{count} h",devices_title:"Allow camera and microphone",devices_title_camera:"Allow the camera",
devices_ask:"Your browser asks now. Choose \u201CAllow\u201D. Pictures and sound go to the service that checks them, and are not s\
tored.",denied_title:"The camera is blocked",denied_query:"This page may not use the camera or the microphone. Open the \
site settings next to the address and allow both. If nothing happens then, try again.",denied_plain:"The browser did not\
 get permission. Allow camera and microphone for this page in the settings of the browser, then try again.",denied_policy:'\
The page that shows this may not use the camera. Its developer must allow it: allow="camera; microphone; publickey-crede\
ntials-get".',denied_insecure:"The camera works on https pages only. Open this page over https.",denied_system:"The syst\
em blocks the camera for this browser. Allow it in the privacy settings of the device, then try again.",absent_title:"No\
 camera found",absent:"Connect a camera and a microphone, or open this page on your phone.",absent_microphone:"Connect a\
 microphone, or choose another way and leave out speaking.",busy_title:"The camera is in use",busy:"Another program uses\
 the camera. Close it, then try again.",lost_title:"The camera is gone",lost:"The camera or microphone was disconnected \
or switched off. Connect it, then try again.",unsupported_title:"This browser can\u2019t record",unsupported:"Use a curr\
ent version of Safari, Firefox, Chrome or Edge.",framing_title:"Put your face in the oval",framing_start:"Start",framing_camera:"\
Camera",framing_microphone:"Microphone",framing_level:"Microphone level",framing_settings:"Camera and sound",framing_read_aloud:"\
Read the instructions aloud",hint_ready:"Looks good",hint_dark:"Too dark: turn towards a window or a lamp",hint_bright:"\
Too bright: turn away from the light",hint_backlit:"Light from behind: turn so that it falls on your face",hint_far:"Com\
e closer",hint_near:"Move back a little",hint_off_centre:"Move to the middle",step_of:"Step {done} of {total}",step_get_ready:"\
Get ready",step_flash_soon:"The screen changes color now, slowly. Look here and hold still.",step_recording:"Recording",
step_again:"Once more",sending_title:"Sending",sending_slow:"Your connection is slow. Keep this page open.",sending_offline:"\
No connection. This goes on as soon as you are online again.",sending_busy:"The service is busy. This goes on in a momen\
t.",opening:"Opening the session\u2026",finishing:"Checking\u2026",provider_title:"Continue with {provider}",provider_text:"\
It opens in a new tab. Come back here when you are done; this page notices by itself.",provider_open:"Open {provider}",provider_waiting:"\
Waiting for the result\u2026",passkey_title:"Confirm with your passkey",passkey_title_create:"Create a passkey",passkey_text:"\
Your device asks for your fingerprint, face or PIN. The passkey signs this recording and nothing else.",passkey_text_request:"\
Your device asks for your fingerprint, face or PIN. The passkey signs this recording and this token, nothing else.",passkey_text_create:"\
You confirm later verifications with it. Your device asks for your fingerprint, face or PIN.",passkey_use:"Use passkey",
passkey_create:"Create passkey",passkey_not_used:"The passkey was not used. Try again.",passkey_exists:"This device has \
a passkey for you already. Use another device, or cancel.",passkey_unsupported:"This browser can\u2019t use passkeys here.",
done_title:"It\u2019s you",done_title_enroll:"You\u2019re enrolled",done:"You can close this.",done_token:"{agent} has i\
ts token. You can close this.",done_elsewhere:"Go on where you started. You can close this.",retry_title:"That didn\u2019t wo\
rk yet",retry_left:"Attempts left: {count}",failed_title:"Not verified",failed_closed_title:"You can\u2019t continue here",
cancelled_title:"Cancelled",cancelled:"Nothing was confirmed, and no recording is kept.",why_hidden:"The page was in the\
 background while it recorded. Keep it in front.",why_slow:"The recording arrived too late. Move closer to your router, \
or use another network.",why_interrupted:"The recording was interrupted.",why_timeout:"The three minutes are over.",why_offline:"\
There was no connection for too long.",why_engine:"This can\u2019t be checked right now. Try again in a minute.",why_retry:"\
The recording was not good enough.",end_expired:"This link has expired. Go back and start again.",end_used:"This verific\
ation is finished already.",end_taken:"This verification goes on on another device.",end_cancelled:"This verification wa\
s cancelled.",end_unknown:"This link is not valid. Go back and start again.",end_locked:"Too many attempts. Wait a while\
, then start again.",end_not_enrolled:"You have not enrolled yet.",end_review:"The result is not clear enough. Go back t\
o the page that sent you.",end_failed:"The check says that this may not be you.",end_blocked:"This page may not call the\
 verification service. Its developer must add its address to DEPUTY_WIDGET_ORIGINS.",end_other:"Something went wrong. Go\
 back and start again."};var Re={en:te,de:Le};function De(e){for(let n of e){let t=n.toLowerCase().split("-")[0]??"",r=Object.hasOwn(Re,t)?Re[t]:
void 0;if(r!==void 0)return{language:t,texts:r}}return{language:"en",texts:te}}function y(e,n){return e.replaceAll(/\{(\w+)\}/g,
(t,r)=>Object.hasOwn(n,r)?String(n[r]):t)}var st=3600;function Fe(e,n){let{actions:t,resources:r,expires_in:i=st,purpose:o}=e;return[[n.consent_may,t.join(", ")],
[n.consent_on,r.join(", ")],[n.consent_until,at(i,n)],...o===void 0?[]:[[n.consent_for,o]]]}function at(e,n){let t=Math.
ceil(e/60);return t<120&&t!==60?y(n.duration_minutes,{count:t}):y(n.duration_hours,{count:Math.round(t/6)/10})}var I="M48 16c-13 0-21 10-21 25 0 17 9 29 21 29s21-12 21-29c0-15-8-25-21-25z",V="M14 92c3-12 13-16 24-18l2-7M82 92c-3-12\
-13-16-24-18l-2-7",oe="M40 40v3M56 40v3",dt="M36 42c2 3 6 3 8 0M52 42c2 3 6 3 8 0",He="M42 56c3 3 9 3 12 0",E=[I,V,oe,He],
ct="M24 42H6M13 34l-8 8 8 8",lt="M72 42h18M83 34l8 8-8 8",re="M34 50v22c0 10 6 16 15 16s15-6 15-16V50",ie="M34 66l-9-10",
ut="M34 50c0-7 30-7 30 0M41 48v10M49 48v10M57 48v10",pt={neutral:E,turn_left:[...E,ct],turn_right:[...E,lt],look_up:[...E,
"M86 58V26M78 34l8-8 8 8"],look_down:[...E,"M86 26v32M78 50l8 8 8-8"],open_mouth:[I,V,oe,"M48 51c-5 0-7 3-7 7s2 7 7 7 7-\
3 7-7-2-7-7-7z"],blink:[I,V,dt,He],move_closer:[...E,"M10 30V12h18M10 12l10 10M86 30V12H68M86 12L76 22"],flash:[...E,"M4\
8 10V4M20 20l-5-5M76 20l5-5M16 44H9M80 44h7"],speak:[I,V,oe,"M43 55h10c0 6-10 6-10 0z","M76 48c4 5 4 13 0 18M83 43c7 8 7\
 20 0 28"],thumbs_up:["M36 52l8-22c2-6 10-4 9 3l-2 13h13c8 0 8 10 3 11 5 1 5 9 0 10 4 2 3 9-2 9 2 3 0 8-5 8H46c-5 0-10-3\
-10-3zM36 50H22v34h14"],victory:[re,ie,"M38 50L30 16M50 48l10-33M49 50v8M57 48v10M64 52c0-5-7-6-7-6"],open_palm:[re,ie,"\
M34 52V26M44 48V16M54 48V18M64 52V26","M25 56c-6-6-11 0-7 5l16 18"],point_up:[re,ut,ie,"M41 48V12"]};function Ie({kind:e,
movement:n,gesture:t}){return de(pt[n??t??e]??E,"picture")}var Ve=["M16 50l22 22 42-46"],se=["M26 26l44 44M70 26L26 70"],
Ne=["M44 48a17 17 0 1 1-.1-1zM44 48h42v15M69 48v11"],Ge=["M76 34a32 32 0 1 0 4 24M78 16v20H58"],ae=["M12 30h46c4 0 6 2 6\
 6v26c0 4-2 6-6 6H12c-4 0-6-2-6-6V36c0-4 2-6 6-6zM64 44l24-12v34L64 54"];function de(e,n){return C("svg",{viewBox:"0 0 9\
6 96",class:n,"aria-hidden":"true",focusable:"false"},...e.map(r=>C("path",{d:r})))}function w(e){return c("h2",{attributes:{tabindex:-1}},e)}function f(e,n){return c("p",n===void 0?{}:{class:n},e)}function T(e,n){
let t=c("button",{class:"main",attributes:{type:"button"},onClick:n},e);return c("div",{class:"actions"},t)}function L(e,n,t){
let r=c("input",{attributes:{type:"checkbox"}});return r.checked=n,r.addEventListener("change",()=>t(r.checked)),c("labe\
l",{class:"option"},r,c("span",{},e))}function R(e,n,...t){let r=c("div",{class:"fold"},...t);return c("details",{attributes:{
open:n}},c("summary",{},e),r)}function S(e,n,t,r){let i=c("div",{class:`mark-ground ${e}`},de(n,"mark"));return c("div",
{class:"result"},i,w(t),...r.map(o=>f(o)))}function Ke(e,{accept:n}){let{summary:t,consent:r,language:i}=e,{texts:o}=i,a=t?.purpose==="enroll",s=c("div"),d=()=>s.replaceChildren(
...ht(e));return d(),[w(a?o.title_enroll:o.title_verify),f(mt(e)),...t===void 0?[]:gt(t,i),s,...r===void 0||_(e)?[]:[bt(
r,i.language,o)],..._(e)?[]:[D(e,d)],T(o.consent_accept,n)]}function mt({summary:e,language:{texts:n}}){if(e?.purpose===
"enroll")return n.consent_enroll;let t=ft(e);return t===void 0?n.consent_asked:y(n.consent_asked_by,{name:p(t)})}function ft(e){
if(e===void 0||e.asked_by.is_person)return;let{name:n,tenant_name:t}=e.asked_by;return/^default$/i.test(t)?n:n===void 0?
t:`${t} (${n})`}function ht(e){let{summary:n,accommodations:t}=e,{texts:r,language:i}=e.language;if(_(e))return[f(y(r.consent_external,
{provider:p(n?.provider??"")}),"dim")];let[o="",a="",s="",d=""]=r.consent_what.split("|"),l=[o,a];return t.has("no_voice")||
l.push(s),t.has("no_hand")||l.push(d),[f(`${new Intl.ListFormat(i).format(l)}.`,"dim"),...t.has("no_flash")?[]:[f(r.consent_flash,
"dim")]]}function gt({request:e,sentences:n},t){if(e!==void 0)return[yt(e,n,t)];if(n.length===0)return[];let r=n.map(i=>c(
"li",{},p(i)));return[c("div",{class:"box"},c("ul",{class:"limits",attributes:{lang:"en"}},...r))]}function yt(e,[,...n],{
texts:t,language:r}){let i=Fe(e,t),o=(r==="en"?i.slice(0,2):i).flatMap(([d,l])=>[c("dt",{},d),c("dd",{},p(l))]),a=y(t.consent_allows,
{agent:p(e.agent_id)}),s=n.map(d=>c("li",{},p(d)));return c("div",{class:"box"},c("h3",{},a),c("dl",{},...o),s.length>0&&
c("ul",{class:"limits",attributes:{lang:"en"}},...s))}function bt({texts:e,version:n},t,r){let o=(e[t]??e.en??"").split(
`

`).map(s=>f(p(s))),a={role:"region",tabindex:0,"aria-label":r.consent_text};return R(r.consent_text,!0,c("div",{class:"n\
otice",attributes:a},...o),f(y(r.consent_version,{version:p(n)}),"small"))}function D({accommodations:e,wants_less_motion:n,
language:{texts:t}},r){let i=o=>L(t[`other_${o}`],e.has(o),a=>{a?e.add(o):e.delete(o),r?.()});return R(t.other_way,e.size>
0,n&&f(t.other_motion,"dim"),f(t.other_intro,"dim"),i("no_voice"),i("no_hand"),i("no_flash"),f(t.other_none,"small"))}var _t={denied_query:"denied_title",denied_plain:"denied_title",denied_policy:"denied_title",denied_insecure:"denied_tit\
le",denied_system:"denied_title",absent:"absent_title",absent_microphone:"absent_title",busy:"busy_title",lost:"lost_tit\
le",unsupported:"unsupported_title"};function Be(e,n,{again:t}){let{language:r,accommodations:i}=n,{texts:o}=r;if(e===void 0){
let s=i.has("no_voice")?o.devices_title_camera:o.devices_title;return[S("plain",ae,s,[o.devices_ask])]}let a=o[_t[e]];return[
S("wait",ae,a,[o[e]]),T(o.again,t),D(n)]}function je(e,n){let{texts:t}=e.language;return[w(t.framing_title),T(t.framing_start,
n.start),R(t.framing_settings,!1,...wt(e,n))]}function wt(e,{chooseDevice:n}){let{texts:t}=e.language,{cameras:r=[],microphones:i=[],
camera_id:o,microphone_id:a}=e.media?.devices??{},s=e.media?.microphone!==void 0;return[ze(t.framing_camera,r,o,d=>{e.camera_id=
d,n()}),s&&ze(t.framing_microphone,i,a,d=>{e.microphone_id=d,n()}),s&&vt(t.framing_level),L(t.sound_on,e.wants_sound,d=>{
e.wants_sound=d}),"speechSynthesis"in globalThis&&L(t.framing_read_aloud,e.reads_aloud,d=>{e.reads_aloud=d})]}function vt(e){
let n=c("div",{class:"level",attributes:{"aria-hidden":"true"}},c("i"));return c("div",{class:"small"},e,n)}function ze(e,n,t,r){
let i=n.map(({device_id:a,label:s},d)=>{let l=c("option",{},s===""?`${e} ${d+1}`:p(s));return l.value=a,l.selected=a===t,
l}),o=c("select",{},...i);return o.addEventListener("change",()=>r(o.value)),c("label",{class:"field"},e,o)}function Ue(e){return[c("div",{class:"result"},c("div",{class:"busy"}),w(e))]}function qe({language:{texts:e},summary:n,
opened:t}){let r=p(n?.provider??""),i=t?.redirect_url;return[w(y(e.provider_title,{provider:r})),f(e.provider_text),...St(
i)?[kt(i,y(e.provider_open,{provider:r}))]:[],f(e.provider_waiting,"dim")]}function St(e){return e!==void 0&&/^https?:\/\//.
test(e)}function kt(e,n){return c("div",{class:"actions"},c("a",{class:"main",attributes:{href:e,target:"_blank",rel:"no\
opener noreferrer"}},n))}function $e(e,{language:{texts:n},summary:t,challenge:r},{usePasskey:i}){let o=r?.ceremony==="c\
reate",a=t?.request===void 0?n.passkey_text:n.passkey_text_request,s=o?n.passkey_title_create:n.passkey_title;return[S("\
plain",Ne,s,[o?n.passkey_text_create:a]),...e===void 0?[]:[f(n[`passkey_${e}`],"again")],...r===void 0?[]:[T(o?n.passkey_create:
n.passkey_use,i)]]}function Ye({language:{texts:e},summary:n,is_elsewhere:t}){let r=n?.request?.agent_id,i=r===void 0?e.
done:y(e.done_token,{agent:p(r)}),o=n?.purpose==="enroll"?e.done_title_enroll:e.done_title;return[S("good",Ve,o,[t?e.done_elsewhere:
i])]}function Je({why:e,reasons:n},t,{again:r}){let{language:i,attempts_left:o}=t,{texts:a}=i,s=n.length>0?n.map(p):[a[`\
why_${e}`]],d=o===void 0?[]:[y(a.retry_left,{count:o})];return[S("wait",Ge,a.retry_title,[...s,...d]),T(a.again,r),...t.
summary===void 0||_(t)?[]:[D(t)]]}function Ze({code:e,reasons:n},{language:{texts:t}}){let i=e==="failed"||e==="review"?
t.failed_title:t.failed_closed_title;return[S("bad",se,i,[t[`end_${e}`],...n.map(p)])]}function Xe({language:{texts:e}}){
return[S("plain",se,e.cancelled_title,[e.cancelled])]}function ce(e,n,{language:{texts:t},opened:r}){let{prompt:i,digits:o,index:a,kind:s}=e,d=y(t.step_of,{done:a+1,total:r?.
steps_total??0}),l=c("div",{},f(d,"small"),w(p(o===void 0?i:i.replace(/[\d\s]+$/,""))),s==="flash"&&f(t.step_flash_soon,
"dim"));return[...n.map(u=>f(`${t.step_again}: ${p(u)}`,"again")),c("div",{class:"task"},Ie(e),l),...o===void 0?[]:[xt(o)],
c("p",{class:"trouble dim",attributes:{hidden:!0}})]}function xt(e){return c("p",{class:"digits"},[...e].join(" "))}function Qe(e,n){let{screen:t,language:r}=e;switch(t.name){case"consent":return Ke(e,n);case"devices":return Be(t.problem,
e,n);case"framing":return je(e,n);case"prepare":case"recording":return ce(t.step,t.reasons,e);case"sending":return ce(t.
step,[],e);case"provider":return qe(e);case"passkey":return $e(t.problem,e,n);case"done":return Ye(e);case"retry":return Je(
t,e,n);case"failed":return Ze(t,e);case"cancelled":return Xe(e);default:return Ue(r.texts[t.name])}}function en(e,n,t,r){let{screen:i,language:o,summary:a}=e,{texts:s}=o;n.language=o.language,n.label=a?.purpose==="enroll"?
s.title_enroll:s.title_verify,n.cancel.textContent=s.cancel,n.cancel.hidden=O(i),n.stage(Tt(i),i.name==="recording"?s.step_recording:
""),i.name!=="prepare"&&n.countIn(""),n.share(Mt(e)),n.count(At(e));let d=Et(e);return d!==r&&n.body.replaceChildren(...Qe(
e,t)),n.trouble(Pt(i,s)),d}function Et({screen:e,language:n,challenge:t}){let r="step"in e?e.step.step_id:JSON.stringify(
e);return`${n.language} ${t?.ceremony} ${r}`}function Tt({name:e}){return e==="recording"?"recording":P({name:e})?"waiti\
ng":void 0}function Mt({screen:e,opened:n,steps_done:t}){if(!(n===void 0||n.steps_total===0))return e.name==="done"||e.name===
"finishing"||e.name==="passkey"?1:"step"in e?t/n.steps_total:void 0}function At({screen:e,opened:n}){return n!==void 0&&
"step"in e?`${e.step.index+1} / ${n.steps_total}`:""}function Pt(e,n){if(e.name==="sending")return e.trouble===void 0?n.
sending_title:n[`sending_${e.trouble}`]}var Ct={ready:660,done:880},nn=.12,Wt=.06,N=class{#n;tone(n){this.#n??=new AudioContext;let{destination:t,currentTime:r}=this.#n,
i=this.#n.createGain();i.gain.setValueAtTime(Wt,r),i.gain.exponentialRampToValueAtTime(.001,r+nn);let o=this.#n.createOscillator();
o.frequency.value=Ct[n],o.connect(i).connect(t),o.start(),o.stop(r+nn)}say(n,t){if(!("speechSynthesis"in globalThis))return;
this.hush();let r=new SpeechSynthesisUtterance(n);r.lang=t,speechSynthesis.speak(r)}hush(){"speechSynthesis"in globalThis&&
speechSynthesis.cancel()}close(){this.hush(),this.#n?.close(),this.#n=void 0}};var le=e=>`deputy-verify ${e}`;function G(e){try{return sessionStorage.getItem(le(e))??void 0}catch{return}}function tn(e,n){
try{sessionStorage.setItem(le(e),n)}catch{}}function K(e){try{sessionStorage.removeItem(le(e))}catch{}}async function rn(e){return e.ceremony==="create"?{passkey_registration:await Ot(e.options)}:{passkey:await Lt(e.options)}}
async function Ot(e){let{challenge:n,user:t,excludeCredentials:r=[],extensions:i,...o}=e,a={...o,challenge:z(n),user:{...t,
id:z(t.id)},excludeCredentials:r.map(an)},s=on(await navigator.credentials.create({publicKey:a})),d=s.response;return{...sn(
s),response:{clientDataJSON:W(d.clientDataJSON),attestationObject:W(d.attestationObject),transports:d.getTransports?.()??
[]}}}async function Lt(e){let{challenge:n,allowCredentials:t=[],extensions:r,...i}=e,o={...i,challenge:z(n),allowCredentials:t.
map(an)},a=on(await navigator.credentials.get({publicKey:o})),s=a.response;return{...sn(a),response:{clientDataJSON:W(s.
clientDataJSON),authenticatorData:W(s.authenticatorData),signature:W(s.signature),...s.userHandle!==null&&{userHandle:W(
s.userHandle)}}}}function on(e){if(e instanceof PublicKeyCredential)return e;throw new DOMException("no passkey was give\
n","NotAllowedError")}function sn(e){let{id:n,rawId:t,type:r,authenticatorAttachment:i}=e;return{id:n,rawId:W(t),type:r,
...i!==null&&{authenticatorAttachment:i},clientExtensionResults:e.getClientExtensionResults()}}function an({id:e,...n}){
return{...n,id:z(e)}}function z(e){let n=atob(e.replaceAll("-","+").replaceAll("_","/"));return Uint8Array.from(n,t=>t.charCodeAt(
0))}function W(e){return btoa(String.fromCharCode(...new Uint8Array(e))).replaceAll("+","-").replaceAll("/","_").replaceAll(
"=","")}function dn(e){let n=e instanceof Error?e.name:"";return n==="InvalidStateError"?"exists":n==="NotAllowedError"||
n==="AbortError"?"not_used":"unsupported"}function h(e,n){return new Promise((t,r)=>{n?.throwIfAborted();let i=setTimeout(t,Math.max(0,e-performance.now()));n?.addEventListener(
"abort",()=>{clearTimeout(i),r(n.reason)},{once:!0})})}var Rt=6e4,Dt=1500,Ft=10;async function F(e,n,t=()=>{}){let r=performance.now()+Rt;for(;;){let i=performance.now()>r;try{
return await e()}catch(o){let a=ue(o);if(a===void 0||i)throw o;t(a),await H(o,n)}}}function ue(e){return e instanceof x?
"offline":e instanceof b&&Q(e)?"busy":void 0}function H(e,n){let t=e instanceof b?e.retry_after_s:void 0,r=t===void 0?Dt:
Math.min(Ft,t)*1e3;return h(performance.now()+r,n)}async function cn({state:e,calls:n,signal:t}){if(e.opened===void 0)throw new Error("no session is open");e.challenge??=await n.
passkey(e.opened,{signal:t})}async function ln({state:e,send:n}){if(e.challenge!==void 0)try{e.confirmed=await rn(e.challenge),
n({type:"confirmed"})}catch(t){n({type:"passkey_failed",problem:dn(t)})}}async function un(e){let{state:n,send:t}=e;if(n.
opened===void 0)throw new Error("no session is open");let r=await It(n.opened,e);if(r===void 0)return t({type:"undecided"});
if(K(n.opened.session_id),n.attempts_left=r.attempts_left,r.decision!=="pass")return Nt(r,e);n.result={...r,...await Vt(
e)},t({type:"judged"})}var Ht=["verification_pending","provider_unavailable"];async function It(e,n){let{state:t,calls:r,
signal:i}=n;try{return await F(()=>r.finish(e,t.confirmed,{signal:i}),i)}catch(o){if(!(o instanceof b&&Ht.includes(o.code)))
throw o;await H(o,i);return}}async function Vt({state:e,calls:n,signal:t}){if(e.summary?.request===void 0||e.is_elsewhere)
return{};try{let{token:r}=await F(()=>n.collect({signal:t}),t);return r===void 0?{}:{token:r}}catch(r){if(!(r instanceof
b&&r.code==="session_unknown"))throw r;return e.is_elsewhere=!0,{}}}function Nt({decision:e,reasons:n,attempts_left:t},{
send:r}){e==="review"?r({type:"failed",code:"review",reasons:n}):e==="retry"||t>0?r({type:"interrupted",why:"retry",reasons:n}):
r({type:"failed",code:"failed",reasons:n})}async function pe(e){let n=new FileReader,t=new Promise((i,o)=>{n.onload=()=>i(String(n.result)),n.onerror=()=>o(new Error(
"The recording could not be read."))});n.readAsDataURL(e instanceof Blob?e:new Blob([e]));let r=await t;return r.slice(r.
indexOf(",")+1)}async function pn(e,n,t,r,i){let{canvas:o,draw:a}=Gt(e,n),s=[],d=1e3/n.fps-12,l=h(t+r,i).then(()=>!1);for(let u=Number.NEGATIVE_INFINITY;s.
length<n.max_frames;){let m=await Promise.race([Kt(e).then(()=>!0),l]),g=performance.now();if(!m||g-t>r)break;g<t||g-u<d||
(u=g,a(),s.push(zt(o,n.jpeg_quality,g-t)))}return Promise.all(s)}function Gt(e,{width:n,height:t}){let r=document.createElement(
"canvas");r.width=n,r.height=t;let i=r.getContext("2d",{alpha:!1});if(i===null)throw new Error("This browser cannot draw\
 pictures.");return{canvas:r,draw:()=>{let a=Math.max(n/e.videoWidth,t/e.videoHeight),[s,d]=[n/a,t/a];i.drawImage(e,(e.videoWidth-
s)/2,(e.videoHeight-d)/2,s,d,0,0,n,t)}}}function Kt(e){return new Promise(n=>{"requestVideoFrameCallback"in e?e.requestVideoFrameCallback(
n):requestAnimationFrame(n)})}function zt(e,n,t){return new Promise((r,i)=>{e.toBlob(o=>o===null?i(new Error("A picture \
could not be encoded.")):r({t_ms:t,jpeg:o}),"image/jpeg",n)})}async function mn({video:e,microphone:n,settings:t},r,i,o,a){let s=r.kind==="speak"?n?.record(i):void 0,[d]=await Promise.
all([pn(e,t,i,r.duration_ms,a),o()]),l=await s?.stop();return{frames:await Promise.all(d.map(async({t_ms:u,jpeg:m})=>({t_ms:u,
jpeg:await pe(m)}))),...l!==void 0&&{audio:{t0_ms:l.t0_ms,pcm16:await pe(l.pcm16)}}}}var Bt={red:"#f00",green:"#0f0",blue:"#00f",black:"#000"},jt=334;async function fn(e,{colors:n=[],slot_ms:t=0},r,i){let o=Math.
max(jt,t);try{for(let[a,s]of n.entries())e.style.backgroundColor=Bt[s],e.hidden=!1,await h(r+(a+1)*o,i)}finally{e.hidden=
!0}}var B={first:2200,flash:2600,aloud:2600,other:1400},hn=700,Ut=200,qt=.55;async function gn(e,n){let{state:t,frame:r,voice:i,
send:o,signal:a}=n;r.say(p(e.prompt)),t.reads_aloud&&i.say(e.prompt,t.language.language);let s=performance.now()+$t(e,t);
for(let d=Math.floor((s-performance.now())/hn);d>0;d--)await h(s-d*hn,a),r.countIn(String(d));await h(s-Ut,a),i.hush(),t.
wants_sound&&i.tone("ready"),await h(s,a),o({type:"started"})}function $t({kind:e,index:n},{reads_aloud:t}){return e==="\
flash"?B.flash:t?B.aloud:n===0?B.first:B.other}async function yn(e,n){let{state:t,frame:r,voice:i,send:o,signal:a}=n,{media:s,
opened:d,has_slow_line:l}=t;if(d?.capture===void 0||s===void 0)throw new Error("nothing is open to record with");let u=Math.
min(d.capture.jpeg_quality,l?qt:1),m={video:r.video,microphone:s.microphone,settings:{...d.capture,jpeg_quality:u}},g=performance.
now();r.time(e.duration_ms);try{let M=()=>Yt(e,g,n);t.recording=await mn(m,e,g,M,a)}finally{r.time(void 0)}t.wants_sound&&
i.tone("done"),o({type:"recorded"})}async function Yt(e,n,{state:t,frame:r,signal:i}){if(!(e.colors===void 0||e.colors.length===
0)){r.raiseLight(t.language.texts.step_flash_soon);try{await fn(r.light,e,n,i)}finally{r.lowerLight()}}}function vn(e){return Uint8Array.from({length:e.length/4},(n,t)=>{let r=t*4;return(e[r]??0)*77+(e[r+1]??0)*150+(e[r+2]??
0)*29>>8})}function Jt(e){let n=_n(e,bn),t=_n(e,(r,i)=>!bn(r,i));return n<55?t-n>70?"backlit":"dark":n>205?"bright":t-n>
70?"backlit":"ready"}function Zt(e){let n=Xt(e),t=n.reduce((s,d)=>s+d,0);if(t<24)return"ready";let r=wn(n,t*.08),i=wn(n,
t*.92),o=(i-r+1)/48,a=(r+i+1)/2/48;return o>.8?"near":Math.abs(a-.5)>.2?"off_centre":o<.25?"far":"ready"}function Sn(e){
let n=e.at(-1);if(n===void 0)return"ready";let t=Jt(n);return t==="ready"?Zt(e):t}function bn(e,n){let t=(e+.5-24)/19.200000000000003,
r=(n+.5-64*.48)/(64*.41);return t*t+r*r<=1}function _n(e,n){let t=0,r=0;return e.forEach((i,o)=>{n(o%48,Math.floor(o/48))&&
(t+=i,r+=1)}),r===0?0:t/r}function Xt(e){let n=new Array(48).fill(0),[t,...r]=e;return t?.forEach((i,o)=>{r.some(s=>Math.
abs((s[o]??i)-i)>9)&&(n[o%48]=(n[o%48]??0)+1)}),n}function wn(e,n){let t=0;return e.findIndex(r=>(t+=r,t>=n))}var Qt=100,er=400,nr=20,j=class{#n;#e;#r=0;#o;#i=()=>{};constructor(n,t){this.#n=n/1e3,this.#e=n/t}onLevel(n){this.#i=n}take(n,t=performance.
now()){this.#i(Math.sqrt(n.reduce((i,o)=>i+o*o,0)/n.length));let r=this.#r;this.#r+=n.length/this.#n,this.#o?.push({samples:n,
start:r,begun:t-this.#r})}record(n){let t=[];return this.#o=t,{stop:async()=>{let r=performance.now(),i=()=>t.length>0&&
kn(t)+this.#r>=r;for(let o=0;o<er&&!i();o+=nr)await h(r+o);return this.#o=void 0,this.#s(t,n,r)}}}#s(n,t,r){let i=Number.
NaN,o=n.flatMap(({samples:l,start:u},m)=>{let g=kn(n.slice(m));g-i<Qt||(i=g);let M=i+u-t;return M>=0&&t+M<r?{samples:l,t_ms:M}:
[]}),a=o[0]?.t_ms??0,s=l=>Math.round((l-a)*this.#n),d=new Float32Array(o.reduce((l,{samples:u,t_ms:m})=>s(m)+u.length,0));
for(let{samples:l,t_ms:u}of o)d.set(l,s(u));return{t0_ms:a,pcm16:tr(d,this.#e)}}};function kn(e){return Math.min(...e.map(
({begun:n})=>n))}function tr(e,n){let t=Int16Array.from({length:e.length/n},(r,i)=>{let o=e.subarray(i*n,Math.max(i*n+1,
(i+1)*n)),a=o.reduce((s,d)=>s+d,0)/o.length;return Math.max(-1,Math.min(1,a))*32767});return new Uint8Array(t.buffer)}async function xn(e,n,t){let{context:r,source:i}=rr(e,n),o=new j(r.sampleRate,n),a=await or(r,t,s=>o.take(s));return i.connect(
a),await r.resume(),Object.assign(o,{async close(){i.disconnect(),await r.close()}})}function rr(e,n){let t=new AudioContext(
{sampleRate:n});try{return{context:t,source:t.createMediaStreamSource(e)}}catch{t.close();let r=new AudioContext;return{
context:r,source:r.createMediaStreamSource(e)}}}var ir=1024;async function or(e,n,t){try{await e.audioWorklet.addModule(
n);let r=new AudioWorkletNode(e,X,{numberOfOutputs:0});return r.port.onmessage=({data:i})=>t(i),r}catch{let r=e.createScriptProcessor(
ir,1,1);return r.onaudioprocess=({inputBuffer:i})=>t(i.getChannelData(0).slice()),r.connect(e.destination),r}}var sr=16e3,$=class e{devices;microphone;#n;constructor(n,t,r){this.devices=n,this.microphone=t,this.#n=r}static async open(n,{
video:t,script:r,onLost:i}){let o=await fe(n);try{for(let s of o.stream.getTracks())s.addEventListener("ended",i);t.srcObject=
o.stream,await dr(t);let a=n.with_sound?await xn(o.stream,sr,r):void 0;return new e(o,a,t)}catch(a){throw En(o.stream,t),
a}}sampler(){let n=document.createElement("canvas");n.width=48,n.height=64;let t=n.getContext("2d",{alpha:!1,willReadFrequently:!0});
return()=>{let{videoWidth:r,videoHeight:i}=this.#n;if(t===null||r===0)return;let o=Math.min(r,i*48/64),a=(r-o)/2;return t.
drawImage(this.#n,a,0,o,i,0,0,48,64),vn(t.getImageData(0,0,48,64).data)}}close(){En(this.devices.stream,this.#n),this.microphone?.
close()}},ar=8e3;function dr(e){let n=h(performance.now()+ar).then(()=>{throw new v("busy")});return Promise.race([e.play(),
n])}function En(e,n){for(let t of e.getTracks())t.stop();n.srcObject=null}var cr=350,lr=5,ur=6e3,pr=8;async function Tn({state:e,frame:n,worklet_script:t,send:r,signal:i}){A(e);let o={camera_id:e.
camera_id,microphone_id:e.microphone_id,with_sound:!e.accommodations.has("no_voice")},a=()=>r({type:"devices_failed",problem:"\
lost"}),s=await $.open(o,{video:n.video,script:t,onLost:a});if(i.aborted)return s.close();e.media=s,r({type:"devices_rea\
dy"})}async function Mn({state:e,send:n,signal:t}){A(e),await ye(t),n({type:"again",from:"devices"})}async function An({
state:e,frame:n,signal:t}){let r=e.media?.sampler();e.media?.microphone?.onLevel(a=>n.level(Math.min(1,a*pr)));let i=[],
o=performance.now();for(;;){await h(performance.now()+cr,t);let a=r?.();if(a===void 0)continue;i=[...i,a].slice(-lr);let s=Sn(
i),d=e.language.texts[`hint_${s}`];n.stage(s==="ready"?"ready":"waiting",d),!(performance.now()-o<ur)&&(o=performance.now(),
n.say(d))}}async function Pn(e){let{state:n,calls:t,send:r,signal:i}=e,[o,a]=await Promise.all([mr(e),t.consent({signal:i})]);n.summary=
o,n.consent=a,r(await fr(o,e)?{type:"described"}:ke(o.state))}async function mr({calls:e,signal:n}){try{return await e.describe(
void 0,{signal:n})}catch(t){let r=G(e.session_id);if(r===void 0||!(t instanceof b))throw t;return e.describe(r,{signal:n}).
catch(()=>Promise.reject(t))}}async function fr(e,{state:n,calls:t,signal:r}){return e.state==="waiting"||e.state==="ope\
n"&&G(e.session_id)!==void 0?!0:n.is_elsewhere?e.state==="open"||e.state==="judged":e.state==="judged"&&(await t.watch(void 0,
void 0,{signal:r})).can_open}async function Cn({state:e,calls:n,send:t,signal:r}){let i={nonce:e.opened?.nonce??hr(e.summary),
consent_version:_(e)?void 0:e.consent?.version,accommodations:[...e.accommodations],language:e.language.language},o=await n.
open(i,{signal:r});tn(o.session_id,o.nonce),e.opened=o,e.steps_done=0,e.challenge=void 0,e.confirmed={},o.step===void 0?
t({type:"opened_external"}):t({type:"revealed",step:o.step,reasons:[]})}function hr(e){return e?.state==="open"?G(e.session_id):
void 0}async function Wn({state:e,calls:n,send:t,signal:r}){let i;for(;i===void 0||gr(i);)try{i=await n.watch(e.opened,i?.
version,{signal:r})}catch(a){if(ue(a)===void 0)throw a;await H(a,r)}let o=i.provider_status==="pass";t({type:"answered",
passkey_required:o&&e.opened?.passkey_required===!0})}function gr({state:e,provider_status:n="pending"}){return e==="ope\
n"&&(n==="pending"||n==="review")}async function On({state:e,calls:n,signal:t}){e.opened!==void 0&&K(e.opened.session_id),
(e.opened!==void 0||!e.is_elsewhere)&&await n.cancel(e.opened,{signal:t}).catch(()=>{})}var yr=2500;async function Ln(e,n){let{state:t,calls:r,frame:i,send:o,signal:a}=n,{opened:s,recording:d,media:l,steps_done:u}=t;
if(s===void 0||d===void 0)throw new Error("nothing was recorded");let m={video_label:l?.devices.video_label??""},g=Z=>i.
share((u+Z)/s.steps_total),M=setTimeout(()=>{t.has_slow_line=!0,o({type:"sending_trouble",trouble:"slow"})},yr);try{let Z=await F(
()=>r.answer(s,e,{...d,device:m},{signal:a,onShare:g}),a,Vn=>o({type:"sending_trouble",trouble:Vn}));br(Z,n)}finally{clearTimeout(
M)}}function br({reasons:e,step:n,steps_done:t},{state:r,send:i}){r.steps_done=t,r.recording=void 0,i(n===void 0?{type:"\
answered",passkey_required:r.opened?.passkey_required===!0}:{type:"revealed",step:n,reasons:e.map(({detail:o})=>o)})}async function Rn(e){let{screen:n}=e.state;switch(n.name){case"loading":return Pn(e);case"devices":return n.problem===void 0?
Tn(e):Mn(e);case"framing":return An(e);case"opening":return Cn(e);case"prepare":return gn(n.step,e);case"recording":return yn(
n.step,e);case"sending":return Ln(n.step,e);case"provider":return Wn(e);case"passkey":return cn(e);case"finishing":return un(
e);case"cancelled":return On(e);default:return}}var Y=class{#n;#e;#r=new N;#o=new AbortController;#i=new AbortController;#s="";#d=!1;constructor(n){this.#n=n,this.#e=we(
n.language,n.is_elsewhere);let{signal:t}=this.#o;n.frame.cancel.addEventListener("click",()=>this.#a({type:"cancel"}),{signal:t}),
document.addEventListener("visibilitychange",()=>this.#h(),{signal:t}),addEventListener("pagehide",()=>this.#g(),{signal:t}),
addEventListener("pageshow",({persisted:r})=>r&&this.#y(),{signal:t}),this.#u(),this.#l()}set language(n){this.#e.language=
n,this.#u()}close(){this.#o.abort(),this.#i.abort(),A(this.#e),this.#r.close(),this.#n.frame.lowerLight()}#a(n){this.#d=
!0,this.#t(n)}#t(n){if(this.#o.signal.aborted)return;let t=this.#e.screen,r=xe(t,n);r!==t&&this.#c(r)}#c(n){let t=Dn(n)===
Dn(this.#e.screen);this.#e.screen=n,this.#u(),!t&&(this.#l(),this.#n.onScreen(this.#e))}async#l(){this.#i.abort(),this.#i=
new AbortController;let{signal:n}=this.#i,{name:t}=this.#e.screen;!P({name:t})&&t!=="devices"&&A(this.#e);let r={...this.#n,
state:this.#e,voice:this.#r,signal:n};try{await Rn({...r,send:i=>this.#t(i)}),t==="passkey"&&this.#u()}catch(i){n.aborted||
this.#p(i)}}#p(n){n instanceof v?this.#t({type:"devices_failed",problem:n.problem}):n instanceof x?this.#f():n instanceof
b?this.#m(n):this.#t({type:"failed",code:"other"})}#m(n){let{name:t}=this.#e.screen;n.code==="answer_late"&&(this.#e.has_slow_line=
!0);let r=ee(n,P({name:t})||t==="passkey"),i=r.type==="failed"&&r.code==="other";this.#t({...r,reasons:i&&n.message!==""?
[n.message]:[]})}#f(){this.#e.summary===void 0&&navigator.onLine?this.#t({type:"failed",code:"blocked"}):this.#t({type:"\
interrupted",why:"offline"})}#h(){let{name:n}=this.#e.screen;(n==="prepare"||n==="recording")&&document.visibilityState===
"hidden"&&this.#t({type:"interrupted",why:"hidden"})}#g(){let{name:n}=this.#e.screen;(P({name:n})||n==="devices")&&this.#t(
{type:"interrupted",why:"interrupted"}),O(this.#e.screen)||this.#i.abort(),this.#r.hush(),this.#n.frame.lowerLight(),A(this.#e)}#y(){
O(this.#e.screen)||this.#l()}#u(){let{frame:n}=this.#n,t=this.#s;this.#s=en(this.#e,n,this.#b(),t),this.#d&&this.#s!==t&&
n.focusHeading()}#b(){let n=this.#e,t=r=>this.#t(r);return{accept:()=>this.#a({type:_(n)?"accepted_external":"accepted"}),
start:()=>this.#a({type:"start"}),again:()=>this.#a({type:"again",from:_r(n)}),usePasskey:()=>{ln({state:n,send:t})},chooseDevice:()=>this.#a(
{type:"choose_device"})}}};function _r(e){return e.summary===void 0?"loading":_(e)?e.opened===void 0?"loading":"opening":
"devices"}function Dn(e){let n="step"in e?e.step.step_id:"",t=e.name==="devices"?e.problem??"":"";return`${e.name} ${n} ${t}`}var wr={cx:50,cy:48,rx:23,ry:41},J=class{video=c("video",{attributes:{playsinline:!0,"aria-hidden":"true",tabindex:-1}});body=c(
"div",{class:"body"});cancel=c("button",{class:"quiet",attributes:{type:"button"}});light=c("div",{class:"light",attributes:{
hidden:!0,"aria-hidden":"true"}});#n=c("div",{class:"calm"});#e=c("i");#r=c("p",{class:"count"});#o;#i=c("span");#s=c("d\
iv",{class:"count-in",attributes:{"aria-hidden":"true"}});#d=c("i");#a=c("div",{class:"time",attributes:{hidden:!0}},this.#d);#t=c(
"div",{class:"spoken",attributes:{role:"status","aria-live":"polite"}});#c;constructor(n){this.video.muted=!0,this.light.
append(this.#n),this.light.popover="manual";let t=c("p",{class:"chip"},this.#i);this.#o=c("div",{class:"stage",attributes:{
hidden:!0}},this.video,vr(),this.#s,t,this.#a);let r=c("div",{class:"bar",attributes:{"aria-hidden":"true"}},this.#e),i=c(
"div",{class:"top"},r,this.#r,this.cancel);this.#c=c("div",{class:"card",attributes:{role:"group"}},i,this.#o,this.body),
n.append(this.#c,this.#t,this.light)}set label(n){this.#c.setAttribute("aria-label",n)}set language(n){this.#c.lang=n,this.#t.
lang=n}share(n){this.#e.parentElement?.classList.toggle("idle",n===void 0),this.#e.style.width=`${Math.round((n??0)*100)}\
%`}count(n){this.#r.textContent=n}level(n){let t=this.body.querySelector(".level i");t!==null&&(t.style.transform=`scale\
X(${n})`)}trouble(n){let t=this.body.querySelector(".trouble");t!==null&&(t.hidden=n===void 0,t.textContent=n??"",n!==void 0&&
this.say(n))}focusHeading(){this.body.querySelector("h2")?.focus({preventScroll:!0})}stage(n,t=""){this.#o.hidden=n===void 0,
this.#o.className=`stage ${n??""}`,this.#i.textContent!==t&&(this.#i.textContent=t)}countIn(n){this.#s.textContent=n}time(n){
for(let t of this.#d.getAnimations())t.cancel();this.#a.hidden=n===void 0,n!==void 0&&this.#d.animate([{transform:"scale\
X(1)"},{transform:"scaleX(0)"}],{duration:n,fill:"forwards"})}say(n){this.#t.textContent!==n&&(this.#t.textContent=n)}raiseLight(n){
this.#n.textContent=n,"showPopover"in this.light&&this.light.showPopover()}lowerLight(){this.light.hidden=!0,"hidePopove\
r"in this.light&&this.light.matches(":popover-open")&&this.light.hidePopover()}};function vr(){let{cx:e,cy:n,rx:t,ry:r}=wr,
i=`M${e-t} ${n}a${t} ${r} 0 1 0 ${2*t} 0a${t} ${r} 0 1 0 ${-2*t} 0z`;return C("svg",{class:"oval",viewBox:"0 0 100 100",
preserveAspectRatio:"none","aria-hidden":"true"},C("path",{class:"shade","fill-rule":"evenodd",d:`M0 0h100v100H0z${i}`}),
C("path",{class:"ring",d:i}))}var Sr=`
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
.top:has(.idle):has([hidden]) { display: none; }
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
.actions + details, .actions + p { margin-block-start: 1rem; }
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
.result + .again { text-align: center; }
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
`,kr=`--paper: #16181c; --card: #1d2025; --tint: #24282e; --line: #30343b; --edge: #6c7480; --ink: #e8e6e1; --dim: #a0a8\
b3;
--accent: var(--deputy-accent, #6fd3bd); --on-accent: var(--deputy-on-accent, #10231f); --good: #5fce93; --wait: #e6b450\
; --bad: #ff8a80; color-scheme: dark;`;function Fn(e){let n=Sr.replaceAll("DARK",kr);if("adoptedStyleSheets"in e&&"repla\
ceSync"in CSSStyleSheet.prototype){let r=new CSSStyleSheet;r.replaceSync(n),e.adoptedStyleSheets=[r];return}let t=document.
createElement("style");t.textContent=n,e.append(t)}var Hn=["session","token","locale","theme"],xr=["session","token","transfer-code","base-url","locale"];function In(e){if(globalThis.
customElements===void 0||customElements.get("deputy-verify")!==void 0)return;let n=Tr(e);for(let t of Hn)Er(n.prototype,
t);customElements.define("deputy-verify",n)}function Er(e,n){Object.defineProperty(e,n,{configurable:!0,enumerable:!0,get(){
return this.getAttribute(n)??""},set(t){t==null?this.removeAttribute(n):this.setAttribute(n,String(t))}})}function Tr(e){
return class extends HTMLElement{static observedAttributes=xr;#n=this.attachShadow({mode:"closed"});#e;#r=!1;connectedCallback(){
for(let t of Hn)this.#o(t);this.#i()}disconnectedCallback(){this.#d()}attributeChangedCallback(t,r,i){r===i||!this.isConnected||
(t==="locale"&&this.#e!==void 0?this.#e.language=this.#t():this.#i())}#o(t){let r=Object.getOwnPropertyDescriptor(this,t)?.
value;r!==void 0&&(Reflect.deleteProperty(this,t),Reflect.set(this,t,r))}#i(){this.#d(),!this.#r&&(this.#r=!0,queueMicrotask(
()=>{this.#r=!1,this.isConnected&&this.#e===void 0&&this.#s()}))}#s(){let t=this.getAttribute("session")??"",r=this.getAttribute(
"token")??void 0,i=this.getAttribute("transfer-code")??void 0;if(t===""||r===void 0&&i===void 0)return;let o=this.#a();this.#n.
replaceChildren(),Fn(this.#n),this.#e=new Y({calls:Te({base_url:o,session_id:t,client_token:r,transfer_code:i}),frame:new J(
this.#n),language:this.#t(),worklet_script:Mr(e,o),is_elsewhere:r===void 0,onScreen:a=>this.#c(t,a)})}#d(){this.#e?.close(),
this.#e=void 0}#a(){let t=this.getAttribute("base-url");return t===null?new URL(e).origin:new URL(t,document.baseURI).href.
replace(/\/+$/,"")}#t(){let t=this.getAttribute("locale")??this.closest("[lang]")?.getAttribute("lang");return De(t==null?
navigator.languages:[t])}#c(t,{screen:r,opened:i,steps_done:o,result:a}){let s=i?.steps_total??0;if(this.#l("progress",{
session_id:t,screen:r.name,steps_done:o,steps_total:s}),r.name==="done"&&a!==void 0){let{verification_id:d,human_ref:l,assurance_level:u,
token:m}=a;this.#l("verified",{session_id:t,verification_id:d,human_ref:l,assurance_level:u,token:m})}if(r.name==="faile\
d"){let{code:d,reasons:l}=r;this.#l("failed",{session_id:t,code:d,reasons:l})}r.name==="cancelled"&&this.#l("cancelled",
{session_id:t})}#l(t,r){this.dispatchEvent(new CustomEvent(t,{detail:r,bubbles:!0,composed:!0}))}}}function Mr(e,n){return/\/widget(-[\w.]+)?\.js$/.
test(new URL(e).pathname)?e:`${n}/widget.js`}me();In(import.meta.url);
