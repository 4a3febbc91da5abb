/* Deputy, the hosted page of a verification. Made from web/verify-me and uqr (MIT License, Copyright (c) 2023 Anthony Fu; QR Code generator Copyright (c) Project Nayuki) by `node web/build.ts`. */
var PageRefused=class extends Error{status;code;state;constructor(status,{code,state,detail}){super(typeof detail=="stri\
ng"?detail:""),this.status=status,this.code=typeof code=="string"?code:"",this.state=typeof state=="string"?state:""}};function pageCalls(session_id,secret){
async function post(name,more={}){let response=await fetch(`/v1/vat/auth/sessions/${encodeURIComponent(session_id)}/${name}`,
{method:"POST",headers:{"content-type":"application/json"},body:JSON.stringify({...secret,...more}),credentials:"omit"}),
answer=await response.json();if(!response.ok)throw new PageRefused(response.status,answer);return answer}return{preview:()=>post(
"preview"),transfer:()=>post("transfer"),watch:after=>post("watch",after===void 0?{}:{after}),cancel:()=>post("cancel")}}var UNSEEN=String.raw`[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}`,STACKED_MARKS=/(?<=\p{M}{4})\p{M}/gu,
WORD=/[\p{L}\p{M}\p{N}]+/gu,BEYOND_ASCII=/[^\x20-\x7e]/,SCRIPTS=[["Latin"],["Han","Hiragana","Katakana","Bopomofo","Hang\
ul"],...["Cyrillic","Greek","Armenian","Georgian","Hebrew","Arabic","Ethiopic"].map(one=>[one]),...["Devanagari","Bengal\
i","Gurmukhi","Gujarati","Tamil","Telugu","Kannada"].map(one=>[one]),...["Malayalam","Sinhala","Thai","Lao","Myanmar","K\
hmer"].map(one=>[one])],made;function expressions(){return made??={emoji_or_unseen:emojiOrUnseen(),scripts:SCRIPTS.map(names=>{
let properties=["Common",...names].map(name=>`\\p{scx=${name}}`);return new RegExp(`^[${properties.join("")}]$`,"u")})},
made}function visibleText(text){return BEYOND_ASCII.test(text)?text.toWellFormed().replaceAll(expressions().emoji_or_unseen,
(found,emoji)=>emoji??codePoint(found)).replaceAll(STACKED_MARKS,codePoint).replaceAll(WORD,visibleWord):text}function emojiOrUnseen(){
try{return new RegExp(String.raw`(\p{RGI_Emoji})|${UNSEEN}`,"gv")}catch{return new RegExp(`((?!))|${UNSEEN}`,"gu")}}function codePoint(character){return`\u27E8U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4,"0")}\u27E9`}
function visibleWord(word){if(!BEYOND_ASCII.test(word))return word;let{scripts}=expressions(),letters=[...word].filter(character=>/\p{L}/u.
test(character));if(letters.length===0||scripts.some(script=>letters.every(letter=>script.test(letter))))return word;let kept2=scripts.
find(script=>letters.some(letter=>script.test(letter)));return[...word].map(character=>!/\p{L}/u.test(character)||kept2?.
test(character)?character:codePoint(character)).join("")}function pagePart(name,className,...parts){let made2=document.createElement(name);return className!==""&&(made2.className=
className),made2.append(...parts.map(part=>typeof part=="string"?visibleText(part):part)),made2}function pageButton(label,look,act){
let made2=pagePart("button",look,label);return made2.type="button",made2.addEventListener("click",act),made2}function showPage(title,...parts){
let main=document.getElementById("verify-me"),heading=document.querySelector("h1");if(main===null||heading===null)throw new Error(
"the page has lost its parts");let isFirst=main.childElementCount===0;heading.textContent=visibleText(title),document.title=
`${visibleText(title)} \xB7 Deputy`,main.replaceChildren(...parts),heading.tabIndex=-1,isFirst||heading.focus()}var EN={title_verify:"Verify that it\u2019s you",title_enroll:"Enroll your face and voice",asked_by:"{name} asks you to \
confirm this:",asked_by_plain:"{name} asks you to show that it\u2019s you.",asked:"You are asked to confirm this:",asked_plain:"\
Show that it\u2019s you.",asked_by_you:"You started this on your own page.",phone:"On your phone",phone_how:"Point the c\
amera of your phone at the code, and open the page that it shows.",code_label:"QR code that continues this verification \
on your phone",code_left:"The code works on one device for another {time}.",code_over:"This code has expired.",new_code:"\
Show a new code",computer:"On this device",use_computer:"Use this device",no_camera:"This device has no camera.",cancel:"\
Cancel",moved:"Continue on your phone",moved_how:"Keep this page open. It shows the result.",steps:"{done} of {total} st\
eps done",again:"It hasn't worked yet",again_how:"Try again on your phone, or start over here.",start_over:"Start over",
verified:"You\u2019re verified",enrolled:"You\u2019re enrolled",close:"You can close this page.",on_other:"Continue on y\
our other device. You can close this page.",back:"Return to {site}",going_back:"Returning to {site} in a moment.",cancelled:"\
Cancelled",cancelled_how:"Nothing was confirmed.",expired:"This verification has expired",expired_how:"Ask for a new lin\
k. Nothing was confirmed.",failed:"You could not be verified",failed_how:"Nothing was confirmed. Ask for a new link to t\
ry again.",unknown:"This link doesn\u2019t work",unknown_how:"It is incomplete or has expired. Ask for a new one.",returned:"\
Go back to where you started",returned_how:"Close this page. The page where you started continues automatically.",code_unknown:"\
This code no longer works",code_unknown_how:"A code works for two minutes. Show a new one on your other device.",code_used:"\
This code was already used",code_used_how:"Each code works once. To use another device, show a new code on the device wh\
ere you started.",withdrawn:"This verification was withdrawn",withdrawn_how:"The program that requested it no longer has\
 permission. Nothing was confirmed.",trouble:"The service can\u2019t be reached",trouble_how:"Check your connection. The\
 page retries automatically."},DE={title_verify:"Best\xE4tigen Sie, dass Sie es sind",title_enroll:"Gesicht und Stimme r\
egistrieren",asked_by:"{name} bittet Sie, Folgendes zu best\xE4tigen:",asked_by_plain:"{name} bittet Sie zu zeigen, dass\
 Sie es sind.",asked:"Sie werden gebeten, Folgendes zu best\xE4tigen:",asked_plain:"Sie werden gebeten zu zeigen, dass S\
ie es sind.",asked_by_you:"Sie haben dies auf Ihrer eigenen Seite begonnen.",phone:"Auf Ihrem Telefon",phone_how:"Richte\
n Sie die Kamera Ihres Telefons auf den Code und \xF6ffnen Sie die Seite, die es anzeigt.",code_label:"QR-Code, mit dem \
Sie auf Ihrem Telefon fortfahren",code_left:"Der Code gilt noch {time}, f\xFCr ein Ger\xE4t.",code_over:"Dieser Code ist\
 abgelaufen.",new_code:"Neuen Code anzeigen",computer:"Auf diesem Ger\xE4t",use_computer:"Dieses Ger\xE4t verwenden",no_camera:"\
Dieses Ger\xE4t hat keine Kamera.",cancel:"Abbrechen",moved:"Fahren Sie auf Ihrem Telefon fort",moved_how:"Lassen Sie di\
ese Seite offen. Sie zeigt das Ergebnis.",steps:"{done} von {total} Schritten erledigt",again:"Es hat noch nicht geklapp\
t",again_how:"Versuchen Sie es auf dem Telefon noch einmal, oder beginnen Sie hier von vorn.",start_over:"Von vorn begin\
nen",verified:"Sie sind best\xE4tigt",enrolled:"Sie sind registriert",close:"Sie k\xF6nnen diese Seite schlie\xDFen.",on_other:"\
Fahren Sie auf dem anderen Ger\xE4t fort. Sie k\xF6nnen diese Seite schlie\xDFen.",back:"Zur\xFCck zu {site}",going_back:"\
Sie kehren gleich zu {site} zur\xFCck.",cancelled:"Abgebrochen",cancelled_how:"Es wurde nichts best\xE4tigt.",expired:"D\
iese Best\xE4tigung ist abgelaufen",expired_how:"Bitten Sie um einen neuen Link. Es wurde nichts best\xE4tigt.",failed:"\
Sie konnten nicht best\xE4tigt werden",failed_how:"Es wurde nichts best\xE4tigt. Bitten Sie f\xFCr einen neuen Versuch um eine\
n neuen Link.",unknown:"Dieser Link funktioniert nicht",unknown_how:"Er ist unvollst\xE4ndig oder abgelaufen. Bitten Sie um\
 einen neuen.",returned:"Gehen Sie zur\xFCck, wo Sie begonnen haben",returned_how:"Schlie\xDFen Sie diese Seite. Die Seite,\
 auf der Sie begonnen haben, geht von selbst weiter.",code_unknown:"Dieser Code gilt nicht mehr",code_unknown_how:"Ein C\
ode gilt zwei Minuten. Lassen Sie sich auf dem anderen Ger\xE4t einen neuen anzeigen.",code_used:"Dieser Code wurde scho\
n verwendet",code_used_how:"Er gilt einmal. Soll ein anderes Ger\xE4t \xFCbernehmen, lassen Sie sich dort, wo Sie begonnen hab\
en, einen neuen Code anzeigen.",withdrawn:"Diese Best\xE4tigung wurde zur\xFCckgezogen",withdrawn_how:"Wer darum gebeten\
 hat, darf das nicht mehr. Es wurde nichts best\xE4tigt.",trouble:"Der Dienst ist nicht erreichbar",trouble_how:"Pr\xFCfen \
Sie Ihre Verbindung. Die Seite versucht es von selbst weiter."},LANGUAGES={en:EN,de:DE};function pageLanguage(wanted){for(let one of wanted){
let[language2=""]=one.toLowerCase().split("-"),texts2=Object.hasOwn(LANGUAGES,language2)?LANGUAGES[language2]:void 0;if(texts2!==
void 0)return{language:language2,texts:texts2}}return{language:"en",texts:EN}}function withValues(text,values){return text.
replaceAll(/\{(\w+)\}/g,(whole,name)=>values[name]??whole)}var RETURN_AFTER_MS=2500;function showEnd(end,session,texts2){let title=end==="verified"&&session.purpose==="enroll"?texts2.
enrolled:texts2[end],how=end==="verified"?void 0:texts2[`${end}_how`],parts=how===void 0?[]:[pagePart("p","lead",how)],address=session.
is_phone?void 0:returnAddress(session);if(address===void 0){showPage(title,...parts,pagePart("p","",session.is_phone?texts2.
on_other:texts2.close));return}let link=pagePart("a","button",withValues(texts2.back,{site:address.host}));link.href=address.
href;let soon=withValues(texts2.going_back,{site:address.host});showPage(title,...parts,...end==="verified"?[pagePart("p",
"",soon)]:[],pagePart("p","",link)),end==="verified"&&setTimeout(()=>location.replace(address.href),RETURN_AFTER_MS)}function returnAddress({
return_url,session_id}){if(return_url===void 0||!/^https?:/.test(return_url))return;let address=new URL(return_url);return address.
searchParams.set("session_id",session_id),address}function showRefusal(error,is_phone,texts2){let name=refusalName(error,
is_phone);showPage(texts2[name],pagePart("p","lead",texts2[`${name}_how`]))}function refusalName({code,state},is_phone){
return code==="session_taken"?"code_used":code==="not_yours"?"withdrawn":code==="session_closed"&&state==="cancelled"?"c\
ancelled":code==="session_closed"?"expired":code==="session_unknown"?is_phone?"code_unknown":"unknown":"failed"}function isRefusal(error){
return error instanceof PageRefused}function isFinalRefusal(error){return isRefusal(error)&&error.status!==429&&error.status<
500}var QrCodeDataType=(QrCodeDataType2=>(QrCodeDataType2[QrCodeDataType2.Border=-1]="Border",QrCodeDataType2[QrCodeDataType2.
Data=0]="Data",QrCodeDataType2[QrCodeDataType2.Function=1]="Function",QrCodeDataType2[QrCodeDataType2.Position=2]="Posit\
ion",QrCodeDataType2[QrCodeDataType2.Timing=3]="Timing",QrCodeDataType2[QrCodeDataType2.Alignment=4]="Alignment",QrCodeDataType2))(
QrCodeDataType||{}),LOW=[0,1],MEDIUM=[1,0],QUARTILE=[2,3],HIGH=[3,2],EccMap={L:LOW,M:MEDIUM,Q:QUARTILE,H:HIGH},NUMERIC_REGEX=/^\d*$/,
ALPHANUMERIC_REGEX=/^[A-Z0-9 $%*+./:-]*$/,ALPHANUMERIC_CHARSET="0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:",MIN_VERSION=1,
MAX_VERSION=40,PENALTY_N1=3,PENALTY_N2=3,PENALTY_N3=40,PENALTY_N4=10,ECC_CODEWORDS_PER_BLOCK=[[-1,7,10,15,20,26,18,20,24,
30,18,20,24,26,30,22,24,28,30,28,28,28,28,30,30,26,28,30,30,30,30,30,30,30,30,30,30,30,30,30,30],[-1,10,16,26,18,24,16,18,
22,22,26,30,22,22,24,24,28,28,26,26,26,26,28,28,28,28,28,28,28,28,28,28,28,28,28,28,28,28,28,28,28],[-1,13,22,18,26,18,24,
18,22,20,24,28,26,24,20,30,24,28,28,26,30,28,30,30,30,30,28,30,30,30,30,30,30,30,30,30,30,30,30,30,30],[-1,17,28,22,16,22,
28,26,26,24,28,24,28,22,24,24,30,28,28,26,28,30,24,30,30,30,30,30,30,30,30,30,30,30,30,30,30,30,30,30,30]],NUM_ERROR_CORRECTION_BLOCKS=[
[-1,1,1,1,1,1,2,2,2,2,4,4,4,4,4,6,6,6,6,7,8,8,9,9,10,12,12,12,13,14,15,16,17,18,19,19,20,21,22,24,25],[-1,1,1,1,2,2,4,4,
4,5,5,5,8,9,9,10,10,11,13,14,16,17,17,18,20,21,23,25,26,28,29,31,33,35,37,38,40,43,45,47,49],[-1,1,1,2,2,4,4,6,6,8,8,8,10,
12,16,12,17,16,18,21,20,23,23,25,27,29,34,34,35,38,40,43,45,48,51,53,56,59,62,65,68],[-1,1,1,2,4,4,4,5,6,8,8,11,11,16,16,
18,16,19,21,25,25,25,34,30,32,35,37,40,42,45,48,51,54,57,60,63,66,70,74,77,81]],QrCode=class{constructor(version,ecc,dataCodewords,msk){
if(this.version=version,this.ecc=ecc,version<MIN_VERSION||version>MAX_VERSION)throw new RangeError("Version value out of\
 range");if(msk<-1||msk>7)throw new RangeError("Mask value out of range");this.size=version*4+17;let row=Array.from({length:this.
size}).fill(!1);for(let i=0;i<this.size;i++)this.modules.push(row.slice()),this.types.push(row.map(()=>0));this.drawFunctionPatterns();
let allCodewords=this.addEccAndInterleave(dataCodewords);if(this.drawCodewords(allCodewords),msk===-1){let minPenalty=1e9;
for(let i=0;i<8;i++){this.applyMask(i),this.drawFormatBits(i);let penalty=this.getPenaltyScore();penalty<minPenalty&&(msk=
i,minPenalty=penalty),this.applyMask(i)}}this.mask=msk,this.applyMask(msk),this.drawFormatBits(msk)}size;mask;modules=[];types=[];getModule(x,y){
return x>=0&&x<this.size&&y>=0&&y<this.size&&this.modules[y][x]}drawFunctionPatterns(){for(let i=0;i<this.size;i++)this.
setFunctionModule(6,i,i%2===0,QrCodeDataType.Timing),this.setFunctionModule(i,6,i%2===0,QrCodeDataType.Timing);this.drawFinderPattern(
3,3),this.drawFinderPattern(this.size-4,3),this.drawFinderPattern(3,this.size-4);let alignPatPos=this.getAlignmentPatternPositions(),
numAlign=alignPatPos.length;for(let i=0;i<numAlign;i++)for(let j=0;j<numAlign;j++)i===0&&j===0||i===0&&j===numAlign-1||i===
numAlign-1&&j===0||this.drawAlignmentPattern(alignPatPos[i],alignPatPos[j]);this.drawFormatBits(0),this.drawVersion()}drawFormatBits(mask){
let data=this.ecc[1]<<3|mask,rem=data;for(let i=0;i<10;i++)rem=rem<<1^(rem>>>9)*1335;let bits=(data<<10|rem)^21522;for(let i=0;i<=
5;i++)this.setFunctionModule(8,i,getBit(bits,i));this.setFunctionModule(8,7,getBit(bits,6)),this.setFunctionModule(8,8,getBit(
bits,7)),this.setFunctionModule(7,8,getBit(bits,8));for(let i=9;i<15;i++)this.setFunctionModule(14-i,8,getBit(bits,i));for(let i=0;i<
8;i++)this.setFunctionModule(this.size-1-i,8,getBit(bits,i));for(let i=8;i<15;i++)this.setFunctionModule(8,this.size-15+
i,getBit(bits,i));this.setFunctionModule(8,this.size-8,!0)}drawVersion(){if(this.version<7)return;let rem=this.version;for(let i=0;i<
12;i++)rem=rem<<1^(rem>>>11)*7973;let bits=this.version<<12|rem;for(let i=0;i<18;i++){let color=getBit(bits,i),a=this.size-
11+i%3,b=Math.floor(i/3);this.setFunctionModule(a,b,color),this.setFunctionModule(b,a,color)}}drawFinderPattern(x,y){for(let dy=-4;dy<=
4;dy++)for(let dx=-4;dx<=4;dx++){let dist=Math.max(Math.abs(dx),Math.abs(dy)),xx=x+dx,yy=y+dy;xx>=0&&xx<this.size&&yy>=0&&
yy<this.size&&this.setFunctionModule(xx,yy,dist!==2&&dist!==4,QrCodeDataType.Position)}}drawAlignmentPattern(x,y){for(let dy=-2;dy<=
2;dy++)for(let dx=-2;dx<=2;dx++)this.setFunctionModule(x+dx,y+dy,Math.max(Math.abs(dx),Math.abs(dy))!==1,QrCodeDataType.
Alignment)}setFunctionModule(x,y,isDark,type=QrCodeDataType.Function){this.modules[y][x]=isDark,this.types[y][x]=type}addEccAndInterleave(data){
let ver=this.version,ecl=this.ecc;if(data.length!==getNumDataCodewords(ver,ecl))throw new RangeError("Invalid argument");
let numBlocks=NUM_ERROR_CORRECTION_BLOCKS[ecl[0]][ver],blockEccLen=ECC_CODEWORDS_PER_BLOCK[ecl[0]][ver],rawCodewords=Math.
floor(getNumRawDataModules(ver)/8),numShortBlocks=numBlocks-rawCodewords%numBlocks,shortBlockLen=Math.floor(rawCodewords/
numBlocks),blocks=[],rsDiv=reedSolomonComputeDivisor(blockEccLen);for(let i=0,k=0;i<numBlocks;i++){let dat=data.slice(k,
k+shortBlockLen-blockEccLen+(i<numShortBlocks?0:1));k+=dat.length;let ecc=reedSolomonComputeRemainder(dat,rsDiv);i<numShortBlocks&&
dat.push(0),blocks.push(dat.concat(ecc))}let result=[];for(let i=0;i<blocks[0].length;i++)blocks.forEach((block,j)=>{(i!==
shortBlockLen-blockEccLen||j>=numShortBlocks)&&result.push(block[i])});return result}drawCodewords(data){if(data.length!==
Math.floor(getNumRawDataModules(this.version)/8))throw new RangeError("Invalid argument");let i=0;for(let right=this.size-
1;right>=1;right-=2){right===6&&(right=5);for(let vert=0;vert<this.size;vert++)for(let j=0;j<2;j++){let x=right-j,y=(right+
1&2)===0?this.size-1-vert:vert;!this.types[y][x]&&i<data.length*8&&(this.modules[y][x]=getBit(data[i>>>3],7-(i&7)),i++)}}}applyMask(mask){
if(mask<0||mask>7)throw new RangeError("Mask value out of range");for(let y=0;y<this.size;y++)for(let x=0;x<this.size;x++){
let invert;switch(mask){case 0:invert=(x+y)%2===0;break;case 1:invert=y%2===0;break;case 2:invert=x%3===0;break;case 3:invert=
(x+y)%3===0;break;case 4:invert=(Math.floor(x/3)+Math.floor(y/2))%2===0;break;case 5:invert=x*y%2+x*y%3===0;break;case 6:
invert=(x*y%2+x*y%3)%2===0;break;case 7:invert=((x+y)%2+x*y%3)%2===0;break;default:throw new Error("Unreachable")}!this.
types[y][x]&&invert&&(this.modules[y][x]=!this.modules[y][x])}}getPenaltyScore(){let result=0;for(let y=0;y<this.size;y++){
let runColor=!1,runX=0,runHistory=[0,0,0,0,0,0,0];for(let x=0;x<this.size;x++)this.modules[y][x]===runColor?(runX++,runX===
5?result+=PENALTY_N1:runX>5&&result++):(this.finderPenaltyAddHistory(runX,runHistory),runColor||(result+=this.finderPenaltyCountPatterns(
runHistory)*PENALTY_N3),runColor=this.modules[y][x],runX=1);result+=this.finderPenaltyTerminateAndCount(runColor,runX,runHistory)*
PENALTY_N3}for(let x=0;x<this.size;x++){let runColor=!1,runY=0,runHistory=[0,0,0,0,0,0,0];for(let y=0;y<this.size;y++)this.
modules[y][x]===runColor?(runY++,runY===5?result+=PENALTY_N1:runY>5&&result++):(this.finderPenaltyAddHistory(runY,runHistory),
runColor||(result+=this.finderPenaltyCountPatterns(runHistory)*PENALTY_N3),runColor=this.modules[y][x],runY=1);result+=this.
finderPenaltyTerminateAndCount(runColor,runY,runHistory)*PENALTY_N3}for(let y=0;y<this.size-1;y++)for(let x=0;x<this.size-
1;x++){let color=this.modules[y][x];color===this.modules[y][x+1]&&color===this.modules[y+1][x]&&color===this.modules[y+1][x+
1]&&(result+=PENALTY_N2)}let dark=0;for(let row of this.modules)dark=row.reduce((sum,color)=>sum+(color?1:0),dark);let total=this.
size*this.size,k=Math.ceil(Math.abs(dark*20-total*10)/total)-1;return result+=k*PENALTY_N4,result}getAlignmentPatternPositions(){
if(this.version===1)return[];{let numAlign=Math.floor(this.version/7)+2,step=this.version===32?26:Math.ceil((this.version*
4+4)/(numAlign*2-2))*2,result=[6];for(let pos=this.size-7;result.length<numAlign;pos-=step)result.splice(1,0,pos);return result}}finderPenaltyCountPatterns(runHistory){
let n=runHistory[1],core=n>0&&runHistory[2]===n&&runHistory[3]===n*3&&runHistory[4]===n&&runHistory[5]===n;return(core&&
runHistory[0]>=n*4&&runHistory[6]>=n?1:0)+(core&&runHistory[6]>=n*4&&runHistory[0]>=n?1:0)}finderPenaltyTerminateAndCount(currentRunColor,currentRunLength,runHistory){
return currentRunColor&&(this.finderPenaltyAddHistory(currentRunLength,runHistory),currentRunLength=0),currentRunLength+=
this.size,this.finderPenaltyAddHistory(currentRunLength,runHistory),this.finderPenaltyCountPatterns(runHistory)}finderPenaltyAddHistory(currentRunLength,runHistory){
runHistory[0]===0&&(currentRunLength+=this.size),runHistory.pop(),runHistory.unshift(currentRunLength)}};function appendBits(val,len,bb){
if(len<0||len>31||val>>>len)throw new RangeError("Value out of range");for(let i=len-1;i>=0;i--)bb.push(val>>>i&1)}function getBit(x,i){
return(x>>>i&1)!==0}var QrSegment=class{constructor(mode,numChars,bitData){if(this.mode=mode,this.numChars=numChars,this.
bitData=bitData,numChars<0)throw new RangeError("Invalid argument");this.bitData=bitData.slice()}getData(){return this.bitData.
slice()}},MODE_NUMERIC=[1,10,12,14],MODE_ALPHANUMERIC=[2,9,11,13],MODE_BYTE=[4,8,16,16];function numCharCountBits(mode,ver){
return mode[Math.floor((ver+7)/17)+1]}function makeBytes(data){let bb=[];for(let b of data)appendBits(b,8,bb);return new QrSegment(
MODE_BYTE,data.length,bb)}function makeNumeric(digits){if(!isNumeric(digits))throw new RangeError("String contains non-n\
umeric characters");let bb=[];for(let i=0;i<digits.length;){let n=Math.min(digits.length-i,3);appendBits(Number.parseInt(
digits.substring(i,i+n),10),n*3+1,bb),i+=n}return new QrSegment(MODE_NUMERIC,digits.length,bb)}function makeAlphanumeric(text){
if(!isAlphanumeric(text))throw new RangeError("String contains unencodable characters in alphanumeric mode");let bb=[],i;
for(i=0;i+2<=text.length;i+=2){let temp=ALPHANUMERIC_CHARSET.indexOf(text.charAt(i))*45;temp+=ALPHANUMERIC_CHARSET.indexOf(
text.charAt(i+1)),appendBits(temp,11,bb)}return i<text.length&&appendBits(ALPHANUMERIC_CHARSET.indexOf(text.charAt(i)),6,
bb),new QrSegment(MODE_ALPHANUMERIC,text.length,bb)}function makeSegments(text){return text===""?[]:isNumeric(text)?[makeNumeric(
text)]:isAlphanumeric(text)?[makeAlphanumeric(text)]:[makeBytes(toUtf8ByteArray(text))]}function isNumeric(text){return NUMERIC_REGEX.
test(text)}function isAlphanumeric(text){return ALPHANUMERIC_REGEX.test(text)}function getTotalBits(segs,version){let result=0;
for(let seg of segs){let ccbits=numCharCountBits(seg.mode,version);if(seg.numChars>=1<<ccbits)return Number.POSITIVE_INFINITY;
result+=4+ccbits+seg.bitData.length}return result}function toUtf8ByteArray(str){str=encodeURI(str);let result=[];for(let i=0;i<
str.length;i++)str.charAt(i)!=="%"?result.push(str.charCodeAt(i)):(result.push(Number.parseInt(str.substring(i+1,i+3),16)),
i+=2);return result}function getNumRawDataModules(ver){if(ver<MIN_VERSION||ver>MAX_VERSION)throw new RangeError("Version\
 number out of range");let result=(16*ver+128)*ver+64;if(ver>=2){let numAlign=Math.floor(ver/7)+2;result-=(25*numAlign-10)*
numAlign-55,ver>=7&&(result-=36)}return result}function getNumDataCodewords(ver,ecl){return Math.floor(getNumRawDataModules(
ver)/8)-ECC_CODEWORDS_PER_BLOCK[ecl[0]][ver]*NUM_ERROR_CORRECTION_BLOCKS[ecl[0]][ver]}function reedSolomonComputeDivisor(degree){
if(degree<1||degree>255)throw new RangeError("Degree out of range");let result=[];for(let i=0;i<degree-1;i++)result.push(
0);result.push(1);let root=1;for(let i=0;i<degree;i++){for(let j=0;j<result.length;j++)result[j]=reedSolomonMultiply(result[j],
root),j+1<result.length&&(result[j]^=result[j+1]);root=reedSolomonMultiply(root,2)}return result}function reedSolomonComputeRemainder(data,divisor){
let result=divisor.map(_=>0);for(let b of data){let factor=b^result.shift();result.push(0),divisor.forEach((coef,i)=>result[i]^=
reedSolomonMultiply(coef,factor))}return result}function reedSolomonMultiply(x,y){if(x>>>8||y>>>8)throw new RangeError("\
Byte out of range");let z=0;for(let i=7;i>=0;i--)z=z<<1^(z>>>7)*285,z^=(y>>>i&1)*x;return z}function encodeSegments(segs,ecl,minVersion=1,maxVersion=40,mask=-1,boostEcl=!0){
if(!(MIN_VERSION<=minVersion&&minVersion<=maxVersion&&maxVersion<=MAX_VERSION)||mask<-1||mask>7)throw new RangeError("In\
valid value");let version,dataUsedBits;for(version=minVersion;;version++){let dataCapacityBits2=getNumDataCodewords(version,
ecl)*8,usedBits=getTotalBits(segs,version);if(usedBits<=dataCapacityBits2){dataUsedBits=usedBits;break}if(version>=maxVersion)
throw new RangeError("Data too long")}for(let newEcl of[MEDIUM,QUARTILE,HIGH])boostEcl&&dataUsedBits<=getNumDataCodewords(
version,newEcl)*8&&(ecl=newEcl);let bb=[];for(let seg of segs){appendBits(seg.mode[0],4,bb),appendBits(seg.numChars,numCharCountBits(
seg.mode,version),bb);for(let b of seg.getData())bb.push(b)}let dataCapacityBits=getNumDataCodewords(version,ecl)*8;appendBits(
0,Math.min(4,dataCapacityBits-bb.length),bb),appendBits(0,(8-bb.length%8)%8,bb);for(let padByte=236;bb.length<dataCapacityBits;padByte^=
253)appendBits(padByte,8,bb);let dataCodewords=Array.from({length:Math.ceil(bb.length/8)},()=>0);return bb.forEach((b,i)=>dataCodewords[i>>>
3]|=b<<7-(i&7)),new QrCode(version,ecl,dataCodewords,mask)}function encode(data,options){let{ecc="L",boostEcc=!1,minVersion=1,
maxVersion=40,maskPattern=-1,border=1}=options||{},segment=typeof data=="string"?makeSegments(data):Array.isArray(data)?
[makeBytes(data)]:void 0;if(!segment)throw new Error(`uqr only supports encoding string and binary data, but got: ${typeof data}`);
let qr=encodeSegments(segment,EccMap[ecc],minVersion,maxVersion,maskPattern,boostEcc),result=addBorder({version:qr.version,
maskPattern:qr.mask,size:qr.size,data:qr.modules,types:qr.types},border);return options?.invert&&(result.data=result.data.
map(row=>row.map(mod=>!mod))),options?.onEncoded?.(result),result}function addBorder(input,border=1){if(!border)return input;
let{size}=input,newSize=size+border*2;input.size=newSize,input.data.forEach(row=>{for(let i=0;i<border;i++)row.unshift(!1),
row.push(!1)});for(let i=0;i<border;i++)input.data.unshift(Array.from({length:newSize},_=>!1)),input.data.push(Array.from(
{length:newSize},_=>!1));let b=QrCodeDataType.Border;input.types.forEach(row=>{for(let i=0;i<border;i++)row.unshift(b),row.
push(b)});for(let i=0;i<border;i++)input.types.unshift(Array.from({length:newSize},_=>b)),input.types.push(Array.from({length:newSize},
_=>b));return input}var SVG="http://www.w3.org/2000/svg";function qrCode(text,label){let{size,data}=encode(text,{ecc:"M",border:3}),dark=data.
flatMap((row,y)=>row.flatMap((isDark,x)=>isDark?[`M${x} ${y}h1v1h-1z`]:[])),path=document.createElementNS(SVG,"path");path.
setAttribute("d",dark.join(""));let picture=document.createElementNS(SVG,"svg");return picture.setAttribute("viewBox",`0\
 0 ${size} ${size}`),picture.setAttribute("role","img"),picture.setAttribute("aria-label",label),picture.setAttribute("s\
hape-rendering","crispEdges"),picture.append(path),picture}var TICK_MS=1e3,MOST_RENEWALS=4,CodeCard=class{element;#calls;#texts;#onTrouble;#picture=pagePart("div","qr");#left=pagePart(
"p","dim");#renew;#ends_at;#renewals=0;#isStopped=!1;#timer;constructor(calls,texts2,onTrouble){this.#calls=calls,this.#texts=
texts2,this.#onTrouble=onTrouble,this.#renew=pageButton(texts2.new_code,"plain",()=>this.#onRenew()),this.#renew.hidden=
!0,this.element=pagePart("section","card",pagePart("h2","",texts2.phone),pagePart("p","",texts2.phone_how),this.#picture,
this.#left,this.#renew)}start(){this.#show(),this.#timer=setInterval(()=>this.#tick(),TICK_MS)}stop(){this.#isStopped=!0,
clearInterval(this.#timer)}#onRenew(){this.#renewals=0,this.#show()}async#show(){try{let{url,expires_in}=await this.#calls.
transfer();this.#ends_at=performance.now()+expires_in*1e3,this.#picture.replaceChildren(qrCode(url,this.#texts.code_label)),
this.#picture.classList.remove("over"),this.#renew.hidden=!0,this.#tick()}catch(error){isFinalRefusal(error)?this.#onTrouble(
error):this.#showLater()}}#showLater(){this.#isStopped||(this.#left.textContent=this.#texts.trouble,setTimeout(()=>this.#isStopped||
void this.#show(),2e3))}#tick(){if(this.#ends_at===void 0)return;let left_s=Math.round((this.#ends_at-performance.now())/
1e3),time=`${Math.floor(left_s/60)}:${String(left_s%60).padStart(2,"0")}`;left_s>0?this.#left.textContent=withValues(this.#texts.
code_left,{time}):this.#onOver()}#onOver(){if(this.#ends_at=void 0,document.visibilityState==="visible"&&this.#renewals<
MOST_RENEWALS){this.#renewals+=1,this.#show();return}this.#picture.classList.add("over"),this.#left.textContent=this.#texts.
code_over,this.#renew.hidden=!1}};function takeLink(){let session_id=decodeURIComponent(location.pathname.split("/")[2]??""),text=location.hash.length>1?takenFromAddress(
session_id):kept(keyOf(session_id));if(text===void 0||session_id==="")return;let isCode=text.startsWith("t=");return{session_id,
secret:isCode?{transfer_code:text.slice(2)}:{client_token:text}}}function isReturn(){return location.pathname.split("/")[3]===
"returned"}var keyOf=session_id=>`deputy.verify-me.${session_id}`;function takenFromAddress(session_id){let text=location.
hash.slice(1);history.replaceState(null,"",location.pathname);try{sessionStorage.setItem(keyOf(session_id),text)}catch{}
return text}function kept(key){try{return sessionStorage.getItem(key)??void 0}catch{return}}function keyOfWidget(session_id){
return kept(`deputy-verify ${session_id}`)}function showWidget(title,{session_id,transfer_code},{onVerified,onCancelled},...below){let widget=document.createElement(
"deputy-verify");widget.setAttribute("session",session_id),widget.setAttribute("transfer-code",transfer_code),widget.setAttribute(
"locale",document.documentElement.lang),widget.addEventListener("verified",onVerified),widget.addEventListener("cancelle\
d",onCancelled),showPage(title,pagePart("div","widget",widget),...below)}var USED_CODE="used",Desktop=class{#options;#session;#screen="choice";#card;constructor(options){this.#options=options}async run(){
this.#session=await this.#options.calls.preview();let first=await this.#options.calls.watch(),end=endOf(first);if(end!==
void 0)return this.#end(end);isPhone()&&first.can_open?await this.#captureHere():first.can_open?await this.#choose():await this.#hasWidget()?
this.#showWidget(USED_CODE):this.#follow(first),await this.#watch(first)}get#title(){let{texts:texts2}=this.#options;return this.#session?.
purpose==="enroll"?texts2.title_enroll:texts2.title_verify}async#choose(){let{calls,texts:texts2}=this.#options;this.#card?.
stop(),this.#card=new CodeCard(calls,texts2,error=>this.#onTrouble(error)),this.#screen="choice";let here=this.#session!==
void 0&&this.#session.provider!=="builtin"||await hasCamera()?pageButton(texts2.use_computer,"",()=>{this.#captureHere()}):
pagePart("p","dim",texts2.no_camera),computer=pagePart("section","card",pagePart("h2","",texts2.computer),here);showPage(
this.#title,...this.#askedFor(),this.#card.element,computer,this.#cancelButton()),this.#card.start()}#askedFor(){let{texts:texts2}=this.#options;
if(this.#session===void 0)return[];let{asked_by,sentences}=this.#session;if(asked_by.is_person)return[pagePart("p","lead",
texts2.asked_by_you)];let isPlain=sentences.length===0,name=askerOf(asked_by),said=name===void 0?texts2[isPlain?"asked_p\
lain":"asked"]:withValues(texts2[isPlain?"asked_by_plain":"asked_by"],{name}),list=pagePart("ul","asked",...sentences.map(
sentence=>pagePart("li","",sentence)));return list.lang="en",[pagePart("p","lead",said),...isPlain?[]:[list]]}#cancelButton(){
return pagePart("p","",pageButton(this.#options.texts.cancel,"plain",()=>this.#cancel()))}#cancel(){this.#options.calls.
cancel().then(()=>this.#end("cancelled"),this.#onTrouble.bind(this))}async#captureHere(){this.#card?.stop();try{let{transfer_code}=await this.#options.
calls.transfer();this.#showWidget(transfer_code)}catch(error){this.#onTrouble(error)}}async#hasWidget(){let{session_id}=this.#options,
nonce=keyOfWidget(session_id);return nonce===void 0?!1:pageCalls(session_id,{nonce}).preview().then(()=>!0,()=>!1)}#showWidget(transfer_code){
this.#screen="here";let ends={onVerified:()=>this.#end("verified"),onCancelled:()=>this.#cancel()};showWidget(this.#title,
{session_id:this.#options.session_id,transfer_code},ends)}async#watch(first){let version=first.version;for(;this.#screen!==
"end";)try{let seen=await this.#options.calls.watch(version);version=seen.version,this.#follow(seen)}catch(error){if(isFinalRefusal(
error))return this.#onTrouble(error);version=void 0,await new Promise(resolve=>setTimeout(resolve,2e3))}}#follow(seen){if(this.#screen===
"end")return;let end=endOf(seen);if(end!==void 0)this.#end(end);else{if(this.#screen==="here")return;seen.state==="open"?
this.#showMoved(seen):this.#screen==="moved"?this.#showAgain(seen):this.#screen==="trouble"&&this.#choose()}}#showMoved({
steps_done,steps_total}){let{texts:texts2}=this.#options;this.#card?.stop();let text=withValues(texts2.steps,{done:String(
steps_done),total:String(steps_total)}),bar=pagePart("progress","");bar.max=Math.max(1,steps_total),bar.value=steps_done,
bar.setAttribute("aria-label",text);let progress=steps_total===0?[]:[bar,pagePart("p","dim",text)],parts=[pagePart("p","\
lead",texts2.moved_how),...progress,this.#cancelButton()];this.#screen==="moved"?document.getElementById("verify-me")?.replaceChildren(
...parts):showPage(texts2.moved,...parts),this.#screen="moved"}#showAgain({reasons}){let{texts:texts2}=this.#options;this.#screen=
"again";let list=pagePart("ul","",...reasons.map(reason=>pagePart("li","",reason)));list.lang="en",showPage(texts2.again,
pagePart("p","lead",texts2.again_how),...reasons.length===0?[]:[list],pageButton(texts2.start_over,"",()=>{this.#choose()}),
this.#cancelButton())}#onTrouble(error){let{texts:texts2}=this.#options;if(isRefusal(error)&&error.code==="session_taken")
return;this.#card?.stop();let isEnd=isFinalRefusal(error);this.#screen=isEnd?"end":"trouble",isEnd?showRefusal(error,!1,
texts2):showPage(texts2.trouble,pagePart("p","lead",texts2.trouble_how))}#end(end){if(this.#screen==="end")return;this.#screen=
"end",this.#card?.stop();let{session_id,texts:texts2}=this.#options,{purpose="verify",return_url}=this.#session??{},session={
session_id,purpose,is_phone:!1,...return_url!==void 0&&{return_url}};showEnd(end,session,texts2)}};function endOf({state,
decision,can_open}){return state==="judged"&&decision==="pass"?"verified":state==="judged"?can_open?void 0:"failed":state===
"cancelled"||state==="expired"?state:void 0}function isPhone(){return matchMedia("(pointer: coarse) and (max-width: 50re\
m)").matches}async function hasCamera(){return(await navigator.mediaDevices?.enumerateDevices().catch(()=>[])??[]).some(
({kind})=>kind==="videoinput")}function askerOf({name,tenant_name}){return/^default$/i.test(tenant_name)?name:name===void 0?
tenant_name:`${name} (${tenant_name})`}var{language,texts}=pageLanguage(navigator.languages);document.documentElement.lang=language;function start(){let link=takeLink();
if(link!==void 0)return run(link);let name=isReturn()?"returned":"unknown";showPage(texts[name],pagePart("p","lead",texts[`${name}\
_how`]))}async function run({session_id,secret}){let calls=pageCalls(session_id,secret),isOnPhone="transfer_code"in secret;
try{isOnPhone?await continueHere(session_id,secret.transfer_code,calls,texts):await new Desktop({session_id,calls,texts}).
run()}catch(error){if(isFinalRefusal(error))return showRefusal(error,isOnPhone,texts);showPage(texts.trouble,pagePart("p",
"lead",texts.trouble_how)),setTimeout(()=>{run({session_id,secret})},2e3)}}async function continueHere(session_id,transfer_code,calls,words){
let{purpose,state}=await calls.preview().catch(error=>{let nonce=keyOfWidget(session_id);if(nonce===void 0||!isRefusal(error))
throw error;return pageCalls(session_id,{nonce}).preview().catch(()=>Promise.reject(error))}),session={session_id,purpose,
is_phone:!0};if(state==="cancelled"||state==="expired")return showEnd(state,session,words);let title=purpose==="enroll"?
words.title_enroll:words.title_verify;showWidget(title,{session_id,transfer_code},{onVerified:()=>showEnd("verified",session,
words),onCancelled:()=>showEnd("cancelled",session,words)})}addEventListener("hashchange",()=>location.reload());start();
