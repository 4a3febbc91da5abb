/* Deputy, the pages for people. Made from web/people and @simplewebauthn/browser (MIT License, Copyright (c) 2020 Matthew Miller) by `node web/build.ts`. */
var UNSEEN=String.raw`[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}`,STACKED_MARKS=/(?<=\p{M}{4})\p{M}/gu,
WORD=/[\p{L}\p{M}\p{N}]+/gu,BEYOND_ASCII=/[^\x20-\x7e]/,SCRIPTS=[["Latin"],["Han","Hiragana","Katakana","Bopomofo","Hang\
ul"],...["Cyrillic","Greek","Armenian","Georgian","Hebrew","Arabic","Ethiopic"].map(one=>[one]),...["Devanagari","Bengal\
i","Gurmukhi","Gujarati","Tamil","Telugu","Kannada"].map(one=>[one]),...["Malayalam","Sinhala","Thai","Lao","Myanmar","K\
hmer"].map(one=>[one])],made;function expressions(){return made??={emoji_or_unseen:emojiOrUnseen(),scripts:SCRIPTS.map(names=>{
let properties=["Common",...names].map(name=>`\\p{scx=${name}}`);return new RegExp(`^[${properties.join("")}]$`,"u")})},
made}function visibleText(text){return BEYOND_ASCII.test(text)?text.toWellFormed().replaceAll(expressions().emoji_or_unseen,
(found,emoji)=>emoji??codePoint(found)).replaceAll(STACKED_MARKS,codePoint).replaceAll(WORD,visibleWord):text}function emojiOrUnseen(){
try{return new RegExp(String.raw`(\p{RGI_Emoji})|${UNSEEN}`,"gv")}catch{return new RegExp(`((?!))|${UNSEEN}`,"gu")}}function codePoint(character){return`\u27E8U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4,"0")}\u27E9`}
function visibleWord(word){if(!BEYOND_ASCII.test(word))return word;let{scripts}=expressions(),letters=[...word].filter(character=>/\p{L}/u.
test(character));if(letters.length===0||scripts.some(script=>letters.every(letter=>script.test(letter))))return word;let kept=scripts.
find(script=>letters.some(letter=>script.test(letter)));return[...word].map(character=>!/\p{L}/u.test(character)||kept?.
test(character)?character:codePoint(character)).join("")}function bufferToBase64URLString(buffer){let bytes=new Uint8Array(buffer),str="";for(let charCode of bytes)str+=String.fromCharCode(
charCode);return btoa(str).replace(/\+/g,"-").replace(/\//g,"_").replace(/=/g,"")}function base64URLStringToBuffer(base64URLString){let base64=base64URLString.replace(/-/g,"+").replace(/_/g,"/"),padLength=(4-
base64.length%4)%4,padded=base64.padEnd(base64.length+padLength,"="),binary=atob(padded),buffer=new ArrayBuffer(binary.length),
bytes=new Uint8Array(buffer);for(let i=0;i<binary.length;i++)bytes[i]=binary.charCodeAt(i);return buffer}function browserSupportsWebAuthn(){return _browserSupportsWebAuthnInternals.stubThis(globalThis?.PublicKeyCredential!==void 0&&
typeof globalThis.PublicKeyCredential=="function")}var _browserSupportsWebAuthnInternals={stubThis:value=>value};function toPublicKeyCredentialDescriptor(descriptor){let{id}=descriptor;return{...descriptor,id:base64URLStringToBuffer(
id),transports:descriptor.transports,type:descriptor.type}}function isValidDomain(hostname){return hostname==="localhost"||/^((xn--[a-z0-9-]+|[a-z0-9]+(-[a-z0-9]+)*)\.)+([a-z]{2,}|xn--[a-z0-9-]+)$/i.
test(hostname)}var WebAuthnError=class extends Error{constructor({message,code,cause,name}){super(message,{cause}),Object.defineProperty(
this,"code",{enumerable:!0,configurable:!0,writable:!0,value:void 0}),this.name=name??cause.name,this.code=code}};function identifyRegistrationError({error,options}){let{publicKey}=options;if(!publicKey)throw Error("options was missin\
g required publicKey property");if(error.name==="AbortError"){if(options.signal instanceof AbortSignal)return new WebAuthnError(
{message:"Registration ceremony was sent an abort signal",code:"ERROR_CEREMONY_ABORTED",cause:error})}else if(error.name===
"ConstraintError"){if(publicKey.authenticatorSelection?.requireResidentKey===!0)return new WebAuthnError({message:"Disco\
verable credentials were required but no available authenticator supported it",code:"ERROR_AUTHENTICATOR_MISSING_DISCOVE\
RABLE_CREDENTIAL_SUPPORT",cause:error});if(options.mediation==="conditional"&&publicKey.authenticatorSelection?.userVerification===
"required")return new WebAuthnError({message:"User verification was required during automatic registration but it could \
not be performed",code:"ERROR_AUTO_REGISTER_USER_VERIFICATION_FAILURE",cause:error});if(publicKey.authenticatorSelection?.
userVerification==="required")return new WebAuthnError({message:"User verification was required but no available authent\
icator supported it",code:"ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT",cause:error})}else{if(error.name==="In\
validStateError")return new WebAuthnError({message:"The authenticator was previously registered",code:"ERROR_AUTHENTICAT\
OR_PREVIOUSLY_REGISTERED",cause:error});if(error.name==="NotAllowedError")return new WebAuthnError({message:error.message,
code:"ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY",cause:error});if(error.name==="NotSupportedError")return publicKey.pubKeyCredParams.
filter(param=>param.type==="public-key").length===0?new WebAuthnError({message:'No entry in pubKeyCredParams was of type\
 "public-key"',code:"ERROR_MALFORMED_PUBKEYCREDPARAMS",cause:error}):new WebAuthnError({message:"No available authentica\
tor supported any of the specified pubKeyCredParams algorithms",code:"ERROR_AUTHENTICATOR_NO_SUPPORTED_PUBKEYCREDPARAMS_\
ALG",cause:error});if(error.name==="SecurityError"){let effectiveDomain=globalThis.location.hostname;if(isValidDomain(effectiveDomain)){
if(publicKey.rp.id!==effectiveDomain)return new WebAuthnError({message:`The RP ID "${publicKey.rp.id}" is invalid for th\
is domain`,code:"ERROR_INVALID_RP_ID",cause:error})}else return new WebAuthnError({message:`${globalThis.location.hostname}\
 is an invalid domain`,code:"ERROR_INVALID_DOMAIN",cause:error})}else if(error.name==="TypeError"){if(publicKey.user.id.
byteLength<1||publicKey.user.id.byteLength>64)return new WebAuthnError({message:"User ID was not between 1 and 64 charac\
ters",code:"ERROR_INVALID_USER_ID_LENGTH",cause:error})}else if(error.name==="UnknownError")return new WebAuthnError({message:"\
The authenticator was unable to process the specified options, or could not create a new credential",code:"ERROR_AUTHENT\
ICATOR_GENERAL_ERROR",cause:error})}return error}var BaseWebAuthnAbortService=class{constructor(){Object.defineProperty(this,"controller",{enumerable:!0,configurable:!0,
writable:!0,value:void 0})}createNewAbortSignal(){if(this.controller){let abortError=new Error("Cancelling existing WebA\
uthn API call for new one");abortError.name="AbortError",this.controller.abort(abortError)}let newController=new AbortController;
return this.controller=newController,newController.signal}cancelCeremony(){if(this.controller){let abortError=new Error(
"Manually cancelling existing WebAuthn API call");abortError.name="AbortError",this.controller.abort(abortError),this.controller=
void 0}}},WebAuthnAbortService=new BaseWebAuthnAbortService;var attachments=["cross-platform","platform"];function toAuthenticatorAttachment(attachment){if(attachment&&!(attachments.
indexOf(attachment)<0))return attachment}async function startRegistration(options){!options.optionsJSON&&options.challenge&&(console.warn("startRegistration() wa\
s not called correctly. It will try to continue with the provided options, but this call should be refactored to use the\
 expected call structure instead. See https://simplewebauthn.dev/docs/packages/browser#typeerror-cannot-read-properties-\
of-undefined-reading-challenge for more information."),options={optionsJSON:options});let{optionsJSON,useAutoRegister=!1}=options;
if(!browserSupportsWebAuthn())throw new Error("WebAuthn is not supported in this browser");let publicKey={...optionsJSON,
challenge:base64URLStringToBuffer(optionsJSON.challenge),user:{...optionsJSON.user,id:base64URLStringToBuffer(optionsJSON.
user.id)},excludeCredentials:optionsJSON.excludeCredentials?.map(toPublicKeyCredentialDescriptor)},createOptions={};useAutoRegister&&
(createOptions.mediation="conditional"),createOptions.publicKey=publicKey,createOptions.signal=WebAuthnAbortService.createNewAbortSignal();
let credential;try{credential=await navigator.credentials.create(createOptions)}catch(err){throw identifyRegistrationError(
{error:err,options:createOptions})}if(!credential)throw new Error("Registration was not completed");let{id,rawId,response,
type}=credential,transports;typeof response.getTransports=="function"&&(transports=response.getTransports());let responsePublicKeyAlgorithm;
if(typeof response.getPublicKeyAlgorithm=="function")try{responsePublicKeyAlgorithm=response.getPublicKeyAlgorithm()}catch(error){
warnOnBrokenImplementation("getPublicKeyAlgorithm()",error)}let responsePublicKey;if(typeof response.getPublicKey=="func\
tion")try{let _publicKey=response.getPublicKey();_publicKey!==null&&(responsePublicKey=bufferToBase64URLString(_publicKey))}catch(error){
warnOnBrokenImplementation("getPublicKey()",error)}let responseAuthenticatorData;if(typeof response.getAuthenticatorData==
"function")try{responseAuthenticatorData=bufferToBase64URLString(response.getAuthenticatorData())}catch(error){warnOnBrokenImplementation(
"getAuthenticatorData()",error)}return{id,rawId:bufferToBase64URLString(rawId),response:{attestationObject:bufferToBase64URLString(
response.attestationObject),clientDataJSON:bufferToBase64URLString(response.clientDataJSON),transports,publicKeyAlgorithm:responsePublicKeyAlgorithm,
publicKey:responsePublicKey,authenticatorData:responseAuthenticatorData},type,clientExtensionResults:credential.getClientExtensionResults(),
authenticatorAttachment:toAuthenticatorAttachment(credential.authenticatorAttachment)}}function warnOnBrokenImplementation(methodName,cause){
console.warn(`The browser extension that intercepted this WebAuthn API call incorrectly implemented ${methodName}. You s\
hould report this error to them.
`,cause)}function browserSupportsWebAuthnAutofill(){if(!browserSupportsWebAuthn())return _browserSupportsWebAuthnAutofillInternals.
stubThis(new Promise(resolve=>resolve(!1)));let globalPublicKeyCredential=globalThis.PublicKeyCredential;return globalPublicKeyCredential?.
isConditionalMediationAvailable===void 0?_browserSupportsWebAuthnAutofillInternals.stubThis(new Promise(resolve=>resolve(
!1))):_browserSupportsWebAuthnAutofillInternals.stubThis(globalPublicKeyCredential.isConditionalMediationAvailable())}var _browserSupportsWebAuthnAutofillInternals={
stubThis:value=>value};function identifyAuthenticationError({error,options}){let{publicKey}=options;if(!publicKey)throw Error("options was miss\
ing required publicKey property");if(error.name==="AbortError"){if(options.signal instanceof AbortSignal)return new WebAuthnError(
{message:"Authentication ceremony was sent an abort signal",code:"ERROR_CEREMONY_ABORTED",cause:error})}else{if(error.name===
"NotAllowedError")return new WebAuthnError({message:error.message,code:"ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY",cause:error});
if(error.name==="SecurityError"){let effectiveDomain=globalThis.location.hostname;if(isValidDomain(effectiveDomain)){if(publicKey.
rpId!==effectiveDomain)return new WebAuthnError({message:`The RP ID "${publicKey.rpId}" is invalid for this domain`,code:"\
ERROR_INVALID_RP_ID",cause:error})}else return new WebAuthnError({message:`${globalThis.location.hostname} is an invalid\
 domain`,code:"ERROR_INVALID_DOMAIN",cause:error})}else if(error.name==="UnknownError")return new WebAuthnError({message:"\
The authenticator was unable to process the specified options, or could not create a new assertion signature",code:"ERRO\
R_AUTHENTICATOR_GENERAL_ERROR",cause:error})}return error}async function startAuthentication(options){!options.optionsJSON&&options.challenge&&(console.warn("startAuthentication(\
) was not called correctly. It will try to continue with the provided options, but this call should be refactored to use\
 the expected call structure instead. See https://simplewebauthn.dev/docs/packages/browser#typeerror-cannot-read-propert\
ies-of-undefined-reading-challenge for more information."),options={optionsJSON:options});let{optionsJSON,useBrowserAutofill=!1,
verifyBrowserAutofillInput=!0}=options;if(!browserSupportsWebAuthn())throw new Error("WebAuthn is not supported in this \
browser");let allowCredentials;optionsJSON.allowCredentials?.length!==0&&(allowCredentials=optionsJSON.allowCredentials?.
map(toPublicKeyCredentialDescriptor));let publicKey={...optionsJSON,challenge:base64URLStringToBuffer(optionsJSON.challenge),
allowCredentials},getOptions={};if(useBrowserAutofill){if(!await browserSupportsWebAuthnAutofill())throw Error("Browser \
does not support WebAuthn autofill");if(document.querySelectorAll("input[autocomplete$='webauthn']").length<1&&verifyBrowserAutofillInput)
throw Error('No <input> with "webauthn" as the only or last value in its `autocomplete` attribute was detected');getOptions.
mediation="conditional",publicKey.allowCredentials=[]}getOptions.publicKey=publicKey,getOptions.signal=WebAuthnAbortService.
createNewAbortSignal();let credential;try{credential=await navigator.credentials.get(getOptions)}catch(err){throw identifyAuthenticationError(
{error:err,options:getOptions})}if(!credential)throw new Error("Authentication was not completed");let{id,rawId,response,
type}=credential,userHandle;return response.userHandle&&(userHandle=bufferToBase64URLString(response.userHandle)),{id,rawId:bufferToBase64URLString(
rawId),response:{authenticatorData:bufferToBase64URLString(response.authenticatorData),clientDataJSON:bufferToBase64URLString(
response.clientDataJSON),signature:bufferToBase64URLString(response.signature),userHandle},type,clientExtensionResults:credential.
getClientExtensionResults(),authenticatorAttachment:toAuthenticatorAttachment(credential.authenticatorAttachment)}}async function ask({title="Confirm",words,yes,look:look2}){let dialog=document.getElementById("confirm"),heading=document.
getElementById("confirm-title"),place=document.getElementById("confirm-words"),confirm=document.getElementById("confirm-\
yes"),cancel=document.getElementById("confirm-no");if(!(dialog instanceof HTMLDialogElement)||!heading||!place||!confirm||
!cancel)throw new Error("the page has no confirmation dialog");return dialog.open&&await new Promise(resolve=>dialog.addEventListener(
"close",resolve,{once:!0})),heading.textContent=title,place.replaceChildren(...words.map(word=>typeof word=="string"?paragraph(
word):word)),confirm.textContent=yes,confirm.className=look2==="danger"?"bad":"",cancel.hidden=look2==="only",new Promise(
resolve=>{confirm.onclick=()=>dialog.close("yes"),cancel.onclick=()=>dialog.close("no"),dialog.onclose=()=>resolve(dialog.
returnValue==="yes"),dialog.returnValue="no",dialog.showModal(),look2==="danger"&&cancel.focus()})}async function askText(label,options){
let field=document.createElement("textarea");field.id="confirm-text",field.rows=3,field.maxLength=2e3;let name=document.
createElement("label");name.htmlFor=field.id,name.textContent=label;let answer=ask({...options,words:[name,field]});return field.
focus(),await answer?field.value.trim():void 0}function isAsking(){return document.querySelector("dialog[open]")!==null}
function paragraph(text){let made2=document.createElement("p");return made2.textContent=text,made2}var FOR_PEOPLE=["step_up_required","passkey_refused"],FOR_OPERATORS=["no_domain"],WORDS={approval_decided:"This was alre\
ady decided, or it expired.",approval_unknown:"This approval request no longer exists.",not_an_approver:"Other people ap\
prove this. You can deny it.",face_required:"To approve this, verify yourself with your face in the app of your organiza\
tion.",rating_immutable:"You already rated this. A rating is final.",token_unknown:"This agent no longer exists.",token_not_live:"\
This agent was stopped in the meantime.",record_unknown:"This action no longer exists.",passkey_unknown:"This passkey no\
 longer exists.",channel_unknown:"This no longer exists. Reload the page.",channel_unavailable:"Messages can\u2019t be sent t\
here. Your organization has not set this up.",invalid_request:"Check what you entered, and try again.",cross_site_request:"\
This page is out of date. Reload it.",rate_limited:"Too many attempts. Wait a minute, then try again.",not_enrolled:"You\
 are not enrolled.",already_enrolled:"You are enrolled already."},FIELDS={"/url":"Check the address. It begins with http\
s:// and belongs to a service that can be reached.","/address":"Check the email address.","/code":"Check the code. It ma\
y have expired.","/time_zone":"Check the time zone. It looks like Europe/Berlin.","/quiet_hours/time_zone":"Check the ti\
me zone. It looks like Europe/Berlin.","/quiet_hours/from":"Check the times. They look like 22:00.","/quiet_hours/to":"C\
heck the times. They look like 22:00.","/word":"Choose a word, a gesture or both.","/contacts":"Name at most five people\
 to notify, one per line."};function refusalWords({code,reason,detail},fields){if(FOR_PEOPLE.includes(code)&&!FOR_OPERATORS.
includes(reason))return visibleText(detail);let field=fields.find(one=>Object.hasOwn(FIELDS,one));return field!==void 0?
FIELDS[field]??"":(Object.hasOwn(WORDS,code)?WORDS[code]:void 0)??"Something went wrong. Reload the page, or try again l\
ater."}var Refused=class extends Error{code;reason;sign_in_path;constructor(answer){let{code="",reason="",detail="",sign_in_path,
errors=[]}=answer;super(refusalWords({code,reason,detail},errors.map(({pointer})=>pointer))),this.code=code,this.reason=
reason,this.sign_in_path=sign_in_path}},SIGNED_OUT=["credential_required","credential_invalid"];function signInPathFor(error){
if(error instanceof Refused)return error.code==="sign_on_too_old"?error.sign_in_path:SIGNED_OUT.includes(error.code)?signInPath():
void 0}function lacksPasskey(error){return error instanceof Refused&&error.code==="step_up_required"&&error.reason==="no\
_passkey"}function signInPath(){let of=tenant==="default"?"":`&tenant=${encodeURIComponent(tenant)}`;return`/sign-in?ret\
urn_to=${location.pathname}${of}`}var people=document.getElementById("people"),{tenant="default"}=people?.dataset??{},csrf_token=people?.
dataset.csrf,PERSON=people?.dataset.person??"";function renewCsrfToken(page){csrf_token=page.getElementById("people")?.dataset.
csrf??csrf_token}function keepTenant(){let query=new URLSearchParams(location.search);tenant==="default"||query.has("ten\
ant")||(query.set("tenant",tenant),history.replaceState(history.state,"",`?${query}${location.hash}`))}async function sendRequest(method,path,body,grant){
let response=await fetch(path,{method,headers:{...body!==void 0&&{"content-type":"application/json"},...csrf_token!==void 0&&
{"deputy-csrf":csrf_token},...grant!==void 0&&{"deputy-step-up":grant}},...body!==void 0&&{body:JSON.stringify(body)}}),
answer=response.headers.get("content-type")?.includes("json")===!0?await response.json():{};if(!response.ok)throw new Refused(
answer);return answer}async function sendInParting({method,path,body}){return(await fetch(path,{method,keepalive:!0,headers:{
"content-type":"application/json","deputy-csrf":csrf_token??""},body:JSON.stringify(body)}).catch(()=>{}))?.ok===!0}async function confirmed({
operation,method,path,params,body}){try{return await sendRequest(method,path,body)}catch(error){if(!(error instanceof Refused&&
error.code==="step_up_required"&&error.reason==="no_grant"))throw error}let{options,words}=await sendRequest("POST","/v1\
/vat/auth/step-up/options",{operation,params,body});if(!await ask({words,yes:"Confirm with your passkey"}))return;let response=await startAuthentication(
{optionsJSON:options}),{grant}=await sendRequest("POST","/v1/vat/auth/step-up/verify",{response});return sendRequest(method,
path,body,grant)}function messageOf(error){return error instanceof Refused?error.message:error instanceof Error&&error.name===
"NotAllowedError"?"The passkey was not used. Try again.":error instanceof Error&&error.name==="InvalidStateError"?"You a\
lready have a passkey on this device.":"Something went wrong. Check your connection, and that your browser supports pass\
keys."}var ME="/me";async function enrollMe(){let body={purpose:"enroll",return_url:`${location.origin}${ME}`};try{let answer=await sendRequest(
"POST","/v1/vat/auth/sessions/hosted",body),{url}=answer;location.assign(url)}catch(error){let sign_in_path=signInPathFor(
error);if(sign_in_path===void 0)throw error;location.assign(sign_in_path)}}var SIGN_SAVED="Saved.";async function saveSign(){
let contacts=fieldValue("sign-contacts").split(`
`).map(line=>line.trim()).filter(line=>line!==""),word=fieldValue("sign-word"),gesture=fieldValue("sign-gesture"),body={
...word!==""&&{word},...gesture!==""&&{gesture},contacts};return changeSign({operation:"setDuress",method:"PUT",path:"/v\
1/vat/auth/duress",body})}async function removeSign(){return changeSign({operation:"deleteDuress",method:"DELETE",path:"\
/v1/vat/auth/duress"})}async function changeSign(call){if(await confirmed(call)===void 0)return!1;for(let id of["sign-wo\
rd","sign-gesture","sign-contacts"])setValue(id,"");return!0}async function exportBiometricData(button){let{path="",humanRef=""}=button.
dataset,answer=await confirmed({operation:"exportBiometrics",method:"GET",path,params:{human_ref:humanRef}});if(answer===
void 0)return;let link=document.createElement("a");link.href=URL.createObjectURL(new Blob([JSON.stringify(answer,null,2)],
{type:"application/json"})),link.download="biometrics.json",link.click(),URL.revokeObjectURL(link.href)}function fieldOf(id){
let field=document.getElementById(id);return field instanceof HTMLInputElement||field instanceof HTMLSelectElement||field instanceof
HTMLTextAreaElement?field:void 0}function fieldValue(id){return fieldOf(id)?.value.trim()??""}function setValue(id,value){
let field=fieldOf(id);field!==void 0&&(field.value=value)}var DEED_KEY="deputy.people.deed";function keepDeed(deed,person){sessionStorage.setItem(DEED_KEY,JSON.stringify({...deed,person,at_ms:Date.now()}))}function takeDeed(by){
let text=sessionStorage.getItem(DEED_KEY);if(text===null)return;sessionStorage.removeItem(DEED_KEY);let{at_ms,person,...deed}=JSON.
parse(text);return person===by&&Date.now()-at_ms<9e5?deed:void 0}function turnToFollow(kind,isWantedHidden){let turn=new AbortController,{signal}=turn;return document.addEventListener("\
visibilitychange",()=>turn.abort(),{once:!0}),document.visibilityState==="visible"?Promise.resolve(signal):new Promise(resolve=>{
signal.addEventListener("abort",()=>resolve(turnToFollow(kind,isWantedHidden))),isWantedHidden()&&asOnlyHiddenPage(`depu\
ty-${kind}`,signal,()=>resolve(signal))})}async function asOnlyHiddenPage(lock,signal,begin){await navigator.locks?.request(
lock,{signal},async()=>{begin(),await ended(signal)}).catch(()=>{})}function ended(signal){return new Promise(resolve=>{
signal.aborted&&resolve(),signal.addEventListener("abort",()=>resolve(),{once:!0})})}function timeText(at_ms,shown,now_ms,locale){if(shown==="ago")return agoText(now_ms-at_ms);let exact=exactText(at_ms,locale);
if(shown!=="until")return exact;let clock=new Date(at_ms).toDateString()===new Date(now_ms).toDateString()?new Date(at_ms).
toLocaleTimeString(locale,{timeStyle:"short"}):exact;return at_ms<=now_ms?`${clock}, which has passed`:`${clock}, in ${lengthText(
at_ms-now_ms)}`}function agoText(length_ms){return length_ms<45e3?"now":`${lengthText(length_ms)} ago`}function lengthText(length_ms){
return length_ms<36e5?`${Math.max(1,Math.round(length_ms/6e4))}\xA0min`:length_ms<2*864e5?`${Math.round(length_ms/36e5)}\
\xA0h`:`${Math.round(length_ms/864e5)}\xA0days`}function exactText(at_ms,locale){return new Date(at_ms).toLocaleString(locale,
{weekday:"short",day:"numeric",month:"short",hour:"2-digit",minute:"2-digit"})}var AGAIN_MS=2e4,_ahead_ms=0;function startTimes(now){_ahead_ms=now-Date.now(),showTimes(),setInterval(showTimes,AGAIN_MS)}
function showTimes(){for(let time of document.querySelectorAll("time[data-shown]")){let text=timeText(Date.parse(time.dateTime),
time.dataset.shown??"",Date.now()+_ahead_ms);time.textContent!==text&&(time.textContent=text),time.title=exactText(Date.
parse(time.dateTime))}}var waiting=new Set,parted=new Set;document.addEventListener("visibilitychange",()=>{document.visibilityState==="hidden"?
sendAll():showParted()});addEventListener("pagehide",sendAll);function sendAll(){for(let one of waiting)clearTimeout(one.
timer),one.part(),parted.add(one);waiting.clear()}function showParted(){for(let{show}of parted)show();parted.clear()}function isUndoable(place){
return place.querySelector(".undo")!==null}function offerUndo({place,words,send,part,onLost,after}){let buttons=[...place.
childNodes],before=document.activeElement,offer=document.createElement("div");offer.className="undo";let text=document.createElement(
"span");text.textContent=words;let undo=document.createElement("button");undo.type="button",undo.className="plain",undo.
textContent="Undo",offer.append(text,undo),place.replaceChildren(offer),undo.focus();let restore=()=>{place.replaceChildren(
...buttons),before instanceof HTMLElement&&before.focus()},isCarriedOut2,one={timer:setTimeout(async()=>{waiting.delete(
one),undo.remove();let isSent=await send();offer.className="",isSent||restore(),await after()},5e3),part(){isCarriedOut2=
part(),undo.remove(),offer.className=""},async show(){await isCarriedOut2===!1&&(restore(),onLost()),await after()}};waiting.
add(one),undo.onclick=()=>{clearTimeout(one.timer),waiting.delete(one),restore()}}var GATHER_MS=250,POLL_MS=15e3,SETTLE_MS=500,served=new Map,_source,_isFollowing=!1,_after=-1,_timer,_say=()=>{};function startLive(after,say2){
for(let part of liveParts(document))served.set(part.id,part.innerHTML);_say=say2,_after=after,followInTurns(),setInterval(
()=>{onPoll()},POLL_MS),addEventListener("pagehide",()=>_source?.close()),addEventListener("pageshow",({persisted})=>{persisted&&
location.reload()})}async function followInTurns(){for(let isFirst=!0;;isFirst=!1){let turn=await turnToFollow("people",
()=>!0);_isFollowing=!0,follow(),isFirst||look(),await ended(turn),_isFollowing=!1,_source?.close()}}function follow(){_source=
new EventSource(`/v1/vat/events?after=${_after}`),_source.onmessage=({lastEventId})=>{_after=Number(lastEventId),look()}}
async function onPoll(){!_isFollowing||_source?.readyState===EventSource.OPEN||(await refresh()?_isFollowing&&_source?.readyState===
EventSource.CLOSED&&follow():_source?.close())}function look(){_timer??=setTimeout(()=>{_timer=void 0,refresh()},GATHER_MS)}
async function refresh(){let response=await fetch(location.pathname,{headers:{accept:"text/html"}}).catch(()=>{});if(response===
void 0||!response.ok)return!0;if(response.redirected)return!1;let fresh=new DOMParser().parseFromString(await response.text(),
"text/html");if(isAsking())return document.querySelector("dialog")?.addEventListener("close",look,{once:!0}),!0;let{person=PERSON}=fresh.
getElementById("people")?.dataset??{};if(person!==PERSON)return location.reload(),!0;renewCsrfToken(fresh),announce(fresh),
document.title=fresh.title;for(let part of liveParts(fresh))replacePart(part);return showTimes(),showBadge(),!0}function announce(fresh){
let[before,now]=[waitingIn(document.title),waitingIn(fresh.title)];now>before&&_say(now===1?"An approval request is wait\
ing for you.":`${now} approval requests are waiting for you.`)}function waitingIn(title){return Number(/^\((\d+)\)/.exec(
title)?.[1]??0)}function showBadge(){let waiting2=waitingIn(document.title);navigator.setAppBadge?.(waiting2).catch(()=>{})}
function liveParts(page){return[...page.querySelectorAll("[data-live]")]}function replacePart(fresh){let{id,innerHTML}=fresh,
part=document.getElementById(id);if(part===null||served.get(id)===innerHTML||isUndoable(part)||part.querySelector("butto\
n:disabled")!==null)return;let open=[...part.querySelectorAll("details[open]")].map(one=>one.id),hadFocus=part.contains(
document.activeElement);served.set(id,innerHTML),part.replaceChildren(...fresh.childNodes);for(let one of part.querySelectorAll(
"details"))open.includes(one.id)&&(one.open=!0);hadFocus&&part.querySelector('[tabindex="-1"]')?.focus(),part.classList.
add("settling"),setTimeout(()=>part.classList.remove("settling"),SETTLE_MS)}var SETTINGS="/v1/vat/notifications",CHANNELS=`${SETTINGS}/channels`;function wireNotifications({onClick:onClick2,say:say2,
reloadWith:reloadWith2}){let byId=id=>document.getElementById(id),here=byId("notify-here");here!==null&&(here.hidden=!canNotify()),
onClick2(here,async button=>{await notifyHere(button)?reloadWith2("Approval requests reach you in this browser."):say2("\
Your browser does not allow notifications of this page. Change that in its settings.")}),onClick2(byId("notify-address-a\
dd"),async()=>{await addAddress()&&reloadWith2("Approval requests reach you by email.")}),onClick2(byId("notify-url-add"),
async()=>reloadWith2(await addPosted()));for(let button of document.querySelectorAll("button[data-test-channel]"))onClick2(
button,async()=>say2(await testOf(button)));suggestZone(),onClick2(byId("quiet-save"),async()=>{await saveQuietHours(),reloadWith2(
"Saved.")}),onClick2(byId("quiet-remove"),async()=>{await sendRequest("PUT",SETTINGS,zoneSetting()),reloadWith2("Message\
s can arrive at any time.")})}function canNotify(){return"serviceWorker"in navigator&&"PushManager"in window&&"Notificat\
ion"in window}async function notifyHere(button){if(await Notification.requestPermission()!=="granted")return!1;let registration=await navigator.
serviceWorker.register("/push-worker.js");await navigator.serviceWorker.ready,isOwnChannelListed()||await(await registration.
pushManager.getSubscription())?.unsubscribe();let subscription=await registration.pushManager.subscribe({userVisibleOnly:!0,
applicationServerKey:button.dataset.key??""}),{endpoint,keys}=subscription.toJSON(),answer=await sendRequest("POST",CHANNELS,
{kind:"push",name:"Browser",subscription:{endpoint,keys:{p256dh:keys?.p256dh,auth:keys?.auth}}}),{channel_id}=answer;return localStorage.
setItem(OWN_CHANNEL_KEY,channel_id),!0}var OWN_CHANNEL_KEY="deputy.people.channel";function isOwnChannelListed(){let own=localStorage.
getItem(OWN_CHANNEL_KEY);return[...document.querySelectorAll("[data-test-channel]")].some(({dataset})=>dataset.testChannel===
own)}async function forgetChannel(channel_id){if(channel_id===void 0||localStorage.getItem(OWN_CHANNEL_KEY)!==channel_id)
return;localStorage.removeItem(OWN_CHANNEL_KEY),await(await(await navigator.serviceWorker?.getRegistration("/push-worker\
.js"))?.pushManager.getSubscription())?.unsubscribe()}async function addAddress(){let address=fieldText("notify-address"),
answer=await sendRequest("POST",CHANNELS,{kind:"email",address}),{channel_id,state}=answer;if(state==="active")return!0;
let code=await askText(`Code from the email to ${address}`,{yes:"Confirm"});return code===void 0?!1:(await sendRequest("\
POST",`${CHANNELS}/${channel_id}/confirm`,{code}),!0)}async function addPosted(){let answer=await sendRequest("POST",CHANNELS,
{kind:fieldText("notify-kind"),url:fieldText("notify-url")}),{secret}=answer;return secret!==void 0&&await ask({words:["\
The secret that signs messages. It is not shown again.",secret],yes:"I have stored it",look:"only"}),"Added. Send a test\
 to see it work."}async function testOf({dataset}){let answer=await sendRequest("POST",`${CHANNELS}/${dataset.testChannel??
""}/test`),{sent,detail}=answer;return sent?"The test was sent.":`The test did not arrive: ${detail??"no reason given"}.`}
function suggestZone(){let field=document.getElementById("quiet-zone");field instanceof HTMLInputElement&&field.value===
""&&(field.value=Intl.DateTimeFormat().resolvedOptions().timeZone)}async function saveQuietHours(){let[from,to]=[fieldText(
"quiet-from"),fieldText("quiet-to")],zone=zoneSetting(),days=document.getElementById("quiet")?.dataset.days?.split(" "),
hours={...zone,...days!==void 0&&{days},from,to},quiet_hours=from===""&&to===""?void 0:hours;await sendRequest("PUT",SETTINGS,
{...zone,...quiet_hours!==void 0&&{quiet_hours}})}function zoneSetting(){let time_zone=fieldText("quiet-zone");return time_zone===
""?{}:{time_zone}}function fieldText(id){let field=document.getElementById(id);return field instanceof HTMLInputElement||
field instanceof HTMLSelectElement?field.value.trim():""}var OPEN_KEY="deputy.people.open";function keepOpenParts(){let open=[...document.querySelectorAll("details.part[open]")].
map(({id})=>id);sessionStorage.setItem(OPEN_KEY,JSON.stringify(open))}function openParts(){let kept=JSON.parse(sessionStorage.
getItem(OPEN_KEY)??"[]");sessionStorage.removeItem(OPEN_KEY);for(let id of kept)openPart(id);openAddressed(),addEventListener(
"hashchange",openAddressed)}function openAddressed(){openPart(location.hash.slice(1))}function openPart(id){let part=document.
getElementById(id);part instanceof HTMLDetailsElement&&(part.open=!0)}var FINAL="It takes effect immediately and can't be undone.";function stopQuestion(name,previews,names=new Map){let title=`Stop ${name}?`;if(previews.length===0)return{title,words:[
`This stops ${name} and everything that acts with its authority. ${FINAL}`],yes:"Stop"};let sum=of=>previews.reduce((before,one)=>before+
of(one),0),agents=[...new Set(previews.flatMap(one=>one.agents))].map(one=>names.get(one)??one.replace(/^agent:/,"")),pending=sum(
one=>one.pending_records),reserved=sum(one=>one.reserved_usd),shown=agents.slice(0,5).join(", "),more=agents.length>5?` \
and ${agents.length-5} more`:"",what=[count(agents.length,"agent"),...pending===0?[]:[count(pending,"open action")]];return{
title,words:[`This stops ${what.join(" and ")}. ${FINAL}`,...agents.length>1?[`Agents: ${shown}${more}.`]:[],...reserved>
0?[`It frees ${usd(reserved)} that open actions had reserved.`]:[]],yes:`Stop ${count(agents.length,"agent")}`}}function usd(amount){
return amount.toLocaleString("en-US",{style:"currency",currency:"USD"})}function count(value,noun){return`${value} ${noun}${value===
1?"":"s"}`}var MESSAGE_KEY="deputy.people.message",SIGNED_IN_MESSAGE_KEY="deputy.people.signed-in-message",PREVIEW_MS=3e3,status=document.
getElementById("status"),people2=document.getElementById("people");showMessage(MESSAGE_KEY);people2!==null&&showMessage(
SIGNED_IN_MESSAGE_KEY);openParts();document.addEventListener("click",({target})=>{let button=target instanceof Element?target.
closest("button[data-calls]"):null;button instanceof HTMLButtonElement&&run(button,()=>onDeed(button))});onClick("passke\
y-add",addPasskey);onClick("passkey-login",signIn);onClick("biometrics-enroll",enrollMe);onClick("biometrics-export",exportBiometricData);
onClick("sign-save",async()=>onSign(await saveSign()));onClick("sign-remove",async()=>onSign(await removeSign()));wireNotifications(
{onClick:onPress,say,reloadWith});if(people2!==null){let{now="0",after="-1"}=people2.dataset;keepTenant(),startLive(Number(
after),say),startTimes(Number(now)),showBadge(),resume()}function onClick(id,act){onPress(document.getElementById(id),act)}
function onPress(button,act){button instanceof HTMLButtonElement&&button.addEventListener("click",()=>{run(button,()=>act(
button))})}async function run(button,act){if(!button.disabled){button.disabled=!0,say("");try{await act()}catch(error){let sign_in_path=signInPathFor(
error);sign_in_path===void 0?say(messageOf(error)):await offerSignIn(sign_in_path)}finally{button.disabled=!1}}}async function offerSignIn(sign_in_path){
await ask({title:"Sign in again.",words:["Your session has ended, or this needs a recent sign-in. Nothing was saved."],yes:"\
Sign in",look:"only"})&&location.assign(sign_in_path)}async function onDeed(button){let deed=deedOf(button);if(button.dataset.
undo!==void 0)return carryOutLater(deed,button);if(!await isAgreed(deed))return;let{note,yes="Yes"}=button.dataset,text=note===
void 0?"":await askText(note,{title:titleOf(deed),yes});text!==void 0&&await carryOut({...deed,calls:deed.calls.map(call=>withNote(
call,text))},button)}function deedOf({dataset}){let{calls="[]",done="",deed="",question,yes,stops,name,reload}=dataset;return{
deed,calls:JSON.parse(calls),done,...question!==void 0&&{question},...yes!==void 0&&{yes},...stops!==void 0&&{stops:JSON.
parse(stops),name:name??""},...reload!==void 0&&{reload:!0}}}function titleOf({deed}){return`${deed.charAt(0).toUpperCase()}${deed.
slice(1)}?`}function withNote(call,note){return note===""?call:{...call,body:{...Object(call.body),note}}}async function isAgreed(deed){
let{question,yes="Yes",stops,name=""}=deed;if(question!==void 0)return ask({title:titleOf(deed),words:[question],yes,look:"\
danger"});if(stops===void 0)return!0;try{return await ask({...stopQuestion(name,await previewsOf(stops),registeredNames()),
look:"danger"})}catch(error){return await leaveToSignIn(deed,error),!1}}function registeredNames(){let names=JSON.parse(
people2?.dataset.names??"{}");return new Map(Object.entries(names).map(([agent_id,name])=>[agent_id,visibleText(name)]))}
async function previewsOf(tokens){let late=new Promise(resolve=>setTimeout(()=>resolve([]),PREVIEW_MS)),previews=Promise.
all(tokens.map(async vat_jti=>await sendRequest("POST","/v1/vat/revoke/preview",{vat_jti}))).catch(error=>{if(signInPathFor(
error)!==void 0)throw error;return[]});return Promise.race([previews,late])}async function carryOut(deed,button){if(!await isCarriedOut(
deed))return;if(isParting(deed))return leaveWith(deed.done);if(deed.reload===!0)return reloadWith(deed.done);let part=button?.
closest("[data-live]");button!==void 0&&(button.disabled=!1),await refresh(),part?.querySelector('[tabindex="-1"]')?.focus(),
say(deed.done)}function carryOutLater(deed,button){let place=button.parentElement;place!==null&&offerUndo({place,words:deed.
done,part:async()=>(await Promise.all(deed.calls.map(sendInParting))).every(isSent=>isSent),onLost:()=>say("That could n\
ot be sent. Try again."),send:async()=>{try{let isSent=await isCarriedOut(deed);return isSent&&say(deed.done),isSent}catch(error){
return say(messageOf(error)),!1}},after:refresh})}async function isCarriedOut(deed){try{for(let call of deed.calls){if(!await confirmed(
call))return!1;call.operation==="removeChannel"&&await forgetChannel(call.params?.channel_id)}return!0}catch(error){return lacksPasskey(
error)?await leadToPasskeys(deed):await leaveToSignIn(deed,error),!1}}async function leadToPasskeys({deed}){let words=[`\
A passkey confirms that it is you. Add one to your account, then come back to ${deed}.`];await ask({title:"You need a pa\
sskey",words,yes:"Add a passkey"})&&location.assign("/me#passkeys")}async function leaveToSignIn(deed,error){let sign_in_path=signInPathFor(
error);if(sign_in_path===void 0)throw error;if(!isParting(deed)){let title="You've been signed out.",words=[`Sign in to ${deed.
deed}.`];if(!await ask({title,words,yes:"Sign in",look:"only"}))return;keepDeed(deed,PERSON)}location.assign(sign_in_path)}
function isParting({calls}){return calls.every(({operation})=>operation==="logOut")}async function resume(){let deed=takeDeed(
PERSON);if(deed!==void 0)try{await isAgreed(deed)&&await carryOut(deed)}catch(error){say(messageOf(error))}}async function addPasskey(){
let field=document.getElementById("passkey-name"),name=field instanceof HTMLInputElement?field.value.trim():"",begun=await confirmed(
{operation:"beginPasskey",method:"POST",path:"/v1/vat/auth/passkeys/register/options"}).catch(error=>{let sign_in_path=signInPathFor(
error);if(sign_in_path===void 0)throw error;sessionStorage.setItem(SIGNED_IN_MESSAGE_KEY,"You have signed in again. Now \
add the passkey."),keepOpenParts(),location.assign(sign_in_path)});if(begun===void 0)return;let response=await startRegistration(
{optionsJSON:begun.options});await sendRequest("POST","/v1/vat/auth/passkeys/register/verify",{response,...name!==""&&{name}}),
reloadWith("Passkey added.")}function onSign(isChanged){isChanged&&say(SIGN_SAVED)}async function signIn(button){let{options}=await sendRequest(
"POST","/v1/vat/auth/passkeys/login/options"),response=await startAuthentication({optionsJSON:options});await sendRequest(
"POST","/v1/vat/auth/passkeys/login/verify",{response}),location.assign(button.dataset.returnTo??"/me")}function reloadWith(message){
sessionStorage.setItem(MESSAGE_KEY,message),keepOpenParts(),location.reload()}function leaveWith(message){sessionStorage.
setItem(MESSAGE_KEY,message),location.assign(signInPath())}function showMessage(key){let message=sessionStorage.getItem(
key);message!==null&&(sessionStorage.removeItem(key),say(message))}function say(message){status!==null&&(status.textContent=
message)}
