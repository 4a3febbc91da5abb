/* Deputy, the pages for people. Made from web/people and @simplewebauthn/browser (MIT License, Copyright (c) 2020 Matthew Miller) by `node web/build.ts`. */
function bufferToBase64URLString(buffer){let bytes=new Uint8Array(buffer),str="";for(let charCode of bytes)str+=String.fromCharCode(
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
getClientExtensionResults(),authenticatorAttachment:toAuthenticatorAttachment(credential.authenticatorAttachment)}}var UNSEEN=/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu,STACKED_MARKS=/(?<=\p{M}{4})\p{M}/gu,WORD=/[\p{L}\p{M}\p{N}]+/gu,
BEYOND_ASCII=/[^\x20-\x7e]/,SCRIPTS=[["Latin"],["Han","Hiragana","Katakana","Bopomofo","Hangul"],...["Cyrillic","Greek",
"Armenian","Georgian","Hebrew","Arabic","Ethiopic"].map(one=>[one]),...["Devanagari","Bengali","Gurmukhi","Gujarati","Ta\
mil","Telugu","Kannada"].map(one=>[one]),...["Malayalam","Sinhala","Thai","Lao","Myanmar","Khmer"].map(one=>[one])].map(
names=>new RegExp(`^[\\p{scx=Common}${names.map(name=>`\\p{scx=${name}}`).join("")}]$`,"u"));function visibleText(text){
return BEYOND_ASCII.test(text)?text.toWellFormed().replaceAll(UNSEEN,codePoint).replaceAll(STACKED_MARKS,codePoint).replaceAll(
WORD,visibleWord):text}function codePoint(character){return`\u27E8U+${character.codePointAt(0)?.toString(16).toUpperCase().
padStart(4,"0")}\u27E9`}function visibleWord(word){if(!BEYOND_ASCII.test(word))return word;let letters=[...word].filter(
character=>/\p{L}/u.test(character));if(letters.length===0||SCRIPTS.some(script=>letters.every(letter=>script.test(letter))))
return word;let kept=SCRIPTS.find(script=>letters.some(letter=>script.test(letter)));return[...word].map(character=>!/\p{L}/u.
test(character)||kept?.test(character)?character:codePoint(character)).join("")}function ask(words,yes){let dialog=document.getElementById("confirm"),place=document.getElementById("confirm-words"),confirm=document.
getElementById("confirm-yes"),cancel=document.getElementById("confirm-no");if(!(dialog instanceof HTMLDialogElement)||place===
null||confirm===null||cancel===null)throw new Error("the page has no confirmation dialog");return place.replaceChildren(
...words.map(paragraph)),confirm.textContent=yes,new Promise(resolve=>{confirm.onclick=()=>dialog.close("yes"),cancel.onclick=
()=>dialog.close("no"),dialog.onclose=()=>resolve(dialog.returnValue==="yes"),dialog.returnValue="no",dialog.showModal()})}
function paragraph(text){let made=document.createElement("p");return made.textContent=text,made}var Refused=class extends Error{code;reason;sign_in_path;constructor({code,reason,detail,sign_in_path}){super(visibleText(
detail??"The service refused this.")),this.code=code??"",this.reason=reason??"",this.sign_in_path=sign_in_path}},SIGNED_OUT=[
"credential_required","credential_invalid"];function signInPathFor(error){if(error instanceof Refused)return error.code===
"sign_on_too_old"?error.sign_in_path:SIGNED_OUT.includes(error.code)?"/sign-in?return_to=/me":void 0}var csrf_token=document.
getElementById("people")?.dataset.csrf;async function sendRequest(method,path,body,grant){let response=await fetch(path,
{method,headers:{...body!==void 0&&{"content-type":"application/json"},...csrf_token!==void 0&&{"deputy-csrf":csrf_token},
...grant!==void 0&&{"deputy-step-up":grant}},...body!==void 0&&{body:JSON.stringify(body)}}),answer=await response.json();
if(!response.ok)throw new Refused(answer);return answer}async function confirmed({operation,method,path,params,body}){try{
return await sendRequest(method,path,body)}catch(error){if(!(error instanceof Refused&&error.code==="step_up_required"&&
error.reason==="no_grant"))throw error}let{options,words}=await sendRequest("POST","/v1/vat/auth/step-up/options",{operation,
params,body});if(!await ask(words,"Confirm with your passkey"))return;let response=await startAuthentication({optionsJSON:options}),
{grant}=await sendRequest("POST","/v1/vat/auth/step-up/verify",{response});return sendRequest(method,path,body,grant)}function messageOf(error){
return error instanceof Refused?error.message:error instanceof Error&&error.name==="NotAllowedError"?"The passkey was no\
t used. Try again.":error instanceof Error&&error.name==="InvalidStateError"?"You already have a passkey on this device.":
"Something went wrong. Check your connection, and that your browser supports passkeys."}var ME="/me";async function enrollMe(){let body={purpose:"enroll",return_url:`${location.origin}${ME}`};try{let answer=await sendRequest(
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
let field=fieldOf(id);field!==void 0&&(field.value=value)}var DEED_KEY="deputy.people.deed";function keepDeed(deed){sessionStorage.setItem(DEED_KEY,JSON.stringify({...deed,at_ms:Date.now()}))}function takeDeed(){
let text=sessionStorage.getItem(DEED_KEY);if(text===null)return;sessionStorage.removeItem(DEED_KEY);let{at_ms,...deed}=JSON.
parse(text);return Date.now()-at_ms<9e5?deed:void 0}var MESSAGE_KEY="deputy.people.message",status=document.getElementById("status");showMessage();for(let button of document.
querySelectorAll("button[data-calls]"))button.addEventListener("click",()=>{run(button,()=>carryOut(button))});onClick("\
passkey-add",addPasskey);onClick("passkey-login",signIn);onClick("biometrics-enroll",enrollMe);onClick("biometrics-expor\
t",exportBiometricData);onClick("sign-save",async()=>onSign(await saveSign()));onClick("sign-remove",async()=>onSign(await removeSign()));
resume();function onClick(id,act){let button=document.getElementById(id);button instanceof HTMLButtonElement&&button.addEventListener(
"click",()=>{run(button,()=>act(button))})}async function run(button,act){if(!button.disabled){button.disabled=!0,say("");
try{await act()}catch(error){say(messageOf(error))}finally{button.disabled=!1}}}async function carryOut(button){let{calls="\
[]",done="",question,reload}=button.dataset;if(question!==void 0&&!await ask([question],"Yes"))return;let actions=JSON.parse(
calls),label=(button.textContent??"").trim();if(!await isCarriedOut({label,calls:actions,done}))return;if(reload!==void 0)
return reloadWith(done);let outcome=document.createElement("p");outcome.textContent=done,outcome.tabIndex=-1;let card=button.
closest(".card");for(let other of card?.querySelectorAll("button")??[])other.remove();card?.append(outcome),outcome.focus(),
say(done)}async function isCarriedOut(deed){try{for(let call of deed.calls)if(!await confirmed(call))return!1;return!0}catch(error){
let sign_in_path=signInPathFor(error);if(sign_in_path===void 0)throw error;return deed.calls.every(({operation})=>operation===
"logOut")||keepDeed(deed),location.assign(sign_in_path),!1}}async function resume(){if(document.getElementById("people")===
null)return;let deed=takeDeed();if(deed!==void 0)try{if(!await ask(["You were signed out before this was done. Do it now\
?",deed.label],"Yes, do it"))return;await isCarriedOut(deed)&&reloadWith(deed.done)}catch(error){say(messageOf(error))}}
async function addPasskey(){let field=document.getElementById("passkey-name"),name=field instanceof HTMLInputElement?field.
value.trim():"",begun=await confirmed({operation:"beginPasskey",method:"POST",path:"/v1/vat/auth/passkeys/register/optio\
ns"}).catch(error=>{let sign_in_path=signInPathFor(error);if(sign_in_path===void 0)throw error;sessionStorage.setItem(MESSAGE_KEY,
"You have signed in again. Now add the passkey."),location.assign(sign_in_path)});if(begun===void 0)return;let response=await startRegistration(
{optionsJSON:begun.options});await sendRequest("POST","/v1/vat/auth/passkeys/register/verify",{response,...name!==""&&{name}}),
reloadWith("Passkey added.")}function onSign(isChanged){isChanged&&say(SIGN_SAVED)}async function signIn(button){let{options}=await sendRequest(
"POST","/v1/vat/auth/passkeys/login/options"),response=await startAuthentication({optionsJSON:options});await sendRequest(
"POST","/v1/vat/auth/passkeys/login/verify",{response}),location.assign(button.dataset.returnTo??"/me")}function reloadWith(message){
sessionStorage.setItem(MESSAGE_KEY,message),location.reload()}function showMessage(){let message=sessionStorage.getItem(
MESSAGE_KEY);message!==null&&(sessionStorage.removeItem(MESSAGE_KEY),say(message))}function say(message){status!==null&&
(status.textContent=message)}
