/* Deputy, recording for verification. Made from web/capture and @simplewebauthn/browser (MIT License, Copyright (c) 2020 Matthew Miller) by `node web/build.ts`. */
function bufferToBase64URLString(buffer){let bytes=new Uint8Array(buffer),str="";for(let charCode of bytes)str+=String.fromCharCode(
charCode);return btoa(str).replace(/\+/g,"-").replace(/\//g,"_").replace(/=/g,"")}function base64URLStringToBuffer(base64URLString){let base642=base64URLString.replace(/-/g,"+").replace(/_/g,"/"),padLength=(4-
base642.length%4)%4,padded=base642.padEnd(base642.length+padLength,"="),binary=atob(padded),buffer=new ArrayBuffer(binary.
length),bytes=new Uint8Array(buffer);for(let i=0;i<binary.length;i++)bytes[i]=binary.charCodeAt(i);return buffer}function browserSupportsWebAuthn(){return _browserSupportsWebAuthnInternals.stubThis(globalThis?.PublicKeyCredential!==void 0&&
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
getClientExtensionResults(),authenticatorAttachment:toAuthenticatorAttachment(credential.authenticatorAttachment)}}var PCM_WORKLET="deputy-pcm";function registerPcmWorklet(){let{AudioWorkletProcessor,registerProcessor}=globalThis;AudioWorkletProcessor===void 0||registerProcessor===
void 0||registerProcessor(PCM_WORKLET,class extends AudioWorkletProcessor{#batch=new Float32Array(512);#filled=0;process([
input]){let samples=input?.[0];return samples===void 0||(this.#batch.set(samples,this.#filled),this.#filled+=samples.length,
this.#filled<512)||(this.port.postMessage(this.#batch,[this.#batch.buffer]),this.#batch=new Float32Array(512),this.#filled=
0),!0}})}async function openMicrophone(stream,sample_rate,script){let{context,source}=openContext(stream,sample_rate),recorder=new SoundRecorder(
context.sampleRate,sample_rate),node=await batchesOf(context,script,batch=>recorder.take(batch));return source.connect(node),
await context.resume(),{record:shown_at=>recorder.record(shown_at),onLevel:call=>recorder.onLevel(call),async close(){source.
disconnect(),await context.close()}}}function openContext(stream,sample_rate){let wanted=new AudioContext({sampleRate:sample_rate});
try{return{context:wanted,source:wanted.createMediaStreamSource(stream)}}catch{wanted.close();let context=new AudioContext;
return{context,source:context.createMediaStreamSource(stream)}}}var FALLBACK_BATCH=1024;async function batchesOf(context,script,take){
try{await context.audioWorklet.addModule(script);let worklet=new AudioWorkletNode(context,PCM_WORKLET,{numberOfOutputs:0});
return worklet.port.onmessage=({data})=>take(data),worklet}catch{let processor=context.createScriptProcessor(FALLBACK_BATCH,
1,1);return processor.onaudioprocess=({inputBuffer})=>take(inputBuffer.getChannelData(0).slice()),processor.connect(context.
destination),processor}}var SoundRecorder=class{#rate;#wanted_rate;#recording;#onLevel=()=>{};constructor(rate,wanted_rate){
this.#rate=rate,this.#wanted_rate=wanted_rate}onLevel(call){this.#onLevel=call}take(batch){this.#onLevel(Math.sqrt(batch.
reduce((sum,sample)=>sum+sample*sample,0)/batch.length));let recording=this.#recording;if(recording===void 0)return;let began_ms=performance.
now()-batch.length*1e3/this.#rate;began_ms<recording.shown_at||(recording.first_ms??=began_ms-recording.shown_at,recording.
batches.push(batch))}record(shown_at){let recording={shown_at,first_ms:void 0,batches:[]};return this.#recording=recording,
{stop:()=>{this.#recording===recording&&(this.#recording=void 0);let{first_ms,batches}=recording;return{t0_ms:first_ms??
0,pcm16:toPcm16(batches,this.#rate/this.#wanted_rate)}}}}};function toPcm16(batches,ratio){let whole=new Float32Array(batches.
reduce((sum,{length})=>sum+length,0)),filled=0;for(let batch of batches)whole.set(batch,filled),filled+=batch.length;let count=Math.
floor(whole.length/ratio),bytes=new DataView(new ArrayBuffer(count*2));for(let i=0;i<count;i++){let part=whole.subarray(
Math.floor(i*ratio),Math.max(Math.floor(i*ratio)+1,Math.floor((i+1)*ratio))),mean=part.reduce((sum,sample)=>sum+sample,0)/
part.length;bytes.setInt16(i*2,Math.max(-1,Math.min(1,mean))*32767,!0)}return new Uint8Array(bytes.buffer)}function until(moment,signal){return new Promise((resolve,reject)=>{signal?.throwIfAborted();let timer=setTimeout(resolve,
Math.max(0,moment-performance.now()));signal?.addEventListener("abort",()=>{clearTimeout(timer),reject(signal.reason)},{
once:!0})})}async function takeFrames(video,settings,shown_at,duration_ms,signal){let{canvas,draw}=frameCanvas(video,settings),taken=[],
gap_ms=1e3/settings.fps-12,end=until(shown_at+duration_ms,signal).then(()=>!1);for(let last=Number.NEGATIVE_INFINITY;taken.
length<settings.max_frames;){let isNew=await Promise.race([newPicture(video).then(()=>!0),end]),now=performance.now();if(!isNew||
now-shown_at>duration_ms)break;now<shown_at||now-last<gap_ms||(last=now,draw(),taken.push(encoded(canvas,settings.jpeg_quality,
now-shown_at)))}return Promise.all(taken)}function frameCanvas(video,{width,height}){let canvas=document.createElement("\
canvas");canvas.width=width,canvas.height=height;let context=canvas.getContext("2d",{alpha:!1});if(context===null)throw new Error(
"This browser cannot draw pictures.");return{canvas,draw:()=>{let scale=Math.max(width/video.videoWidth,height/video.videoHeight),
[w,h]=[width/scale,height/scale];context.drawImage(video,(video.videoWidth-w)/2,(video.videoHeight-h)/2,w,h,0,0,width,height)}}}
function newPicture(video){return new Promise(resolve=>{"requestVideoFrameCallback"in video?video.requestVideoFrameCallback(
resolve):requestAnimationFrame(resolve)})}function encoded(canvas,quality,t_ms){return new Promise((resolve,reject)=>{canvas.
toBlob(jpeg=>jpeg===null?reject(new Error("A picture could not be encoded.")):resolve({t_ms,jpeg}),"image/jpeg",quality)})}var CaptureRefused=class extends Error{code;constructor({code,detail}){super(detail??"The service refused this."),this.code=
code??""}};async function callSession(path,body){let response=await fetch(path,{method:"POST",headers:{"content-type":"a\
pplication/json"},body:JSON.stringify(body)}),answer=await response.json();if(!response.ok)throw new CaptureRefused(answer);
return answer}async function base64(bytes){let reader=new FileReader,read=new Promise((resolve,reject)=>{reader.onload=()=>resolve(
String(reader.result)),reader.onerror=()=>reject(new Error("The recording could not be read."))});reader.readAsDataURL(bytes instanceof
Blob?bytes:new Blob([bytes]));let url=await read;return url.slice(url.indexOf(",")+1)}async function recordStep({video,microphone,settings},step,shown_at,show,signal){let recording=step.kind==="speak"?microphone?.
record(shown_at):void 0;try{let[frames]=await Promise.all([takeFrames(video,settings,shown_at,step.duration_ms,signal),show()]),
sound=recording?.stop();return{frames:await Promise.all(frames.map(async({t_ms,jpeg})=>({t_ms,jpeg:await base64(jpeg)}))),
...sound!==void 0&&{audio:{t0_ms:sound.t0_ms,pcm16:await base64(sound.pcm16)}}}}finally{recording?.stop()}}var SHADES={red:"#f00",green:"#0f0",blue:"#00f",black:"#000"},SHORTEST_SLOT_MS=334;async function showStep({prompt,light},step,shown_at){
prompt.textContent=step.prompt,await showColors(light,step,shown_at),await until(shown_at+step.duration_ms)}async function showColors(light,{
colors=[],slot_ms=0},shown_at,signal){let safe_slot_ms=Math.max(SHORTEST_SLOT_MS,slot_ms);try{for(let[i,color]of colors.
entries())light.style.backgroundColor=SHADES[color],light.hidden=!1,await until(shown_at+(i+1)*safe_slot_ms,signal)}finally{
light.hidden=!0}}registerPcmWorklet();async function runCapture(options){let{session,stage}=options,stream=await openDevices(session);try{
stage.video.srcObject=stream,await stage.video.play();let microphone=await openMicrophone(stream,session.capture.sample_rate,
import.meta.url);try{await answerSteps(options,stream,microphone)}finally{await microphone.close()}}finally{for(let track of stream.
getTracks())track.stop();stage.video.srcObject=null}return finish(options)}function openDevices({capture}){return navigator.
mediaDevices.getUserMedia({video:{width:capture.width,height:capture.height,facingMode:"user"},audio:{echoCancellation:!1,
noiseSuppression:!1,autoGainControl:!1,channelCount:1}})}async function answerSteps(options,stream,microphone){let{session,
stage}=options,video_label=stream.getVideoTracks()[0]?.label??"",path=`/v1/vat/auth/sessions/${session.session_id}/steps`;
for(let step=session.step;step!==void 0;){let media=await recordedStep(options,step,microphone),body={nonce:session.nonce,
step_id:step.step_id,...media,device:{video_label}},answer=await callSession(path,body);stage.prompt.textContent=answer.
reasons.map(({detail})=>detail).join(" "),step=answer.step}}async function recordedStep({session,stage,onStep},step,microphone){
let shown_at=performance.now()+session.capture.lead_ms;await until(shown_at),onStep?.(step);let devices={video:stage.video,
microphone,settings:session.capture};return recordStep(devices,step,shown_at,()=>showStep(stage,step,shown_at))}async function finish({
session,request={}}){let{session_id,nonce,purpose}=session,passkey=session.passkey_required?await confirmedByPasskey(session,
request):{};return callSession(purpose==="enroll"?"/v1/vat/auth/enroll":"/v1/vat/auth/capture",{session_id,nonce,...passkey,
...request})}async function confirmedByPasskey({session_id,nonce},request){let path=`/v1/vat/auth/sessions/${session_id}\
/passkey`,challenge=await callSession(path,{nonce,...request});return challenge.ceremony==="create"?{passkey_registration:await startRegistration(
{optionsJSON:challenge.options})}:{passkey:await startAuthentication({optionsJSON:challenge.options})}}export{runCapture};
