/* Deputy, the verifier for browsers. Made from web/verify and protocol by `node web/build.ts`. */
function encodeBase64(bytes){return btoa(String.fromCharCode(...bytes))}function decodeBase64(text){try{let bytes=Uint8Array.
from(atob(text),character=>character.charCodeAt(0));return encodeBase64(bytes)===text?bytes:void 0}catch{return}}var fromNumH=n=>n/2**32|0,fromNumL=n=>n>>>0;function setU64FromNum(view,byteOffset,n,isLE){let h=fromNumH(n),l=fromNumL(
n);view.setUint32(byteOffset,isLE?l:h,isLE),view.setUint32(byteOffset+4,isLE?h:l,isLE)}function isBytes(a){return a instanceof Uint8Array||ArrayBuffer.isView(a)&&a.constructor.name==="Uint8Array"&&"BYTES_PER\
_ELEMENT"in a&&a.BYTES_PER_ELEMENT===1}var atitle=title=>title?`"${title}" `:"";function anumber(n,title=""){if(typeof n!=
"number")throw new TypeError(atitle(title)+"expected number, got "+typeof n);if(!Number.isSafeInteger(n)||n<0)throw new RangeError(
atitle(title)+"expected integer >= 0, got "+n);return n}function abytes(value,length,title=""){if(isBytes(value)&&(length===void 0||value.length===length))return value;length!==
void 0&&anumber(length,"length");let bytes=isBytes(value),ofLen=length!==void 0?` of length ${length}`:"",got=bytes?`len\
gth=${value.length}`:`type=${typeof value}`,message=atitle(title)+"expected Uint8Array"+ofLen+", got "+got;throw bytes?new RangeError(
message):new TypeError(message)}var aobject=(value,label)=>{if(value===null||typeof value!="object"||Array.isArray(value))throw new TypeError((label==="\
object"?"":`"${label}" `)+"expected object, got type="+typeof value)},aopts=(value,label)=>{aobject(value,label);let proto=Object.
getPrototypeOf(value);if(proto!==Object.prototype&&proto!==null)throw new TypeError(`"${label}" expected plain object`);
if(Object.hasOwn(value,"__proto__"))throw new TypeError(`"${label}.__proto__" is not allowed`)};function aexists(instance,checkFinished=!0){
if(instance.destroyed)throw new Error("hash was destroyed");if(checkFinished&&instance.finished)throw new Error("digest(\
) was already called")}function aoutput(out,instance){abytes(out,void 0,"output");let min=instance.outputLen;if(!(out.length>=
min))throw new RangeError('"output" expected length >= '+min)}function clean(...arrays){for(let i=0;i<arrays.length;i++)arrays[i].fill(0)}function createView(arr){return new DataView(
arr.buffer,arr.byteOffset,arr.byteLength)}function rotr(word,shift){return word<<32-shift|word>>>shift}function checkOpts(defaults,opts,title="opts"){return aopts(defaults,"defaults"),opts!==void 0&&aopts(opts,title),Object.
assign(Object.create(null),defaults,opts)}function createHasher(hashCons,info={}){if(typeof hashCons!="function")throw new TypeError(
'"hashCons" expected function, got type='+typeof hashCons);info=checkOpts({},info,"info");let hashC=(msg,opts)=>hashCons(
opts).update(msg).digest(),tmp=hashCons(void 0);return hashC.outputLen=tmp.outputLen,hashC.blockLen=tmp.blockLen,hashC.canXOF=
tmp.canXOF,hashC.create=opts=>hashCons(opts),Object.assign(hashC,info),Object.freeze(hashC)}var oidNist=suffix=>({oid:Uint8Array.from([6,9,96,134,72,1,101,3,4,2,suffix])});function Chi(a,b,c){return a&b^~a&c}function Maj(a,b,c){return a&b^a&c^b&c}var HashMD=class{blockLen;outputLen;canXOF=!1;padOffset;isLE;buffer;view;finished=!1;length=0;pos=0;destroyed=!1;constructor(blockLen,outputLen,padOffset,isLE){
this.blockLen=blockLen,this.outputLen=outputLen,this.padOffset=padOffset,this.isLE=isLE,this.buffer=new Uint8Array(blockLen),
this.view=createView(this.buffer)}update(data){aexists(this),abytes(data);let{view,buffer,blockLen}=this,len=data.length,
processed=!1;for(let pos=0;pos<len;){let take=Math.min(blockLen-this.pos,len-pos);if(take===blockLen){let dataView=createView(
data);for(;blockLen<=len-pos;pos+=blockLen)this.process(dataView,pos);processed=!0;continue}buffer.set(pos===0&&take===len?
data:data.subarray(pos,pos+take),this.pos),this.pos+=take,pos+=take,this.pos===blockLen&&(this.process(view,0),this.pos=
0,processed=!0)}return this.length+=data.length,processed&&this.roundClean(),this}digestInto(out){aexists(this),aoutput(
out,this),this.finished=!0;let{buffer,view,blockLen,isLE}=this,{pos}=this;buffer[pos++]=128,buffer.fill(0,pos),this.padOffset>
blockLen-pos&&(this.process(view,0),buffer.fill(0)),setU64FromNum(view,blockLen-8,this.length*8,isLE),this.process(view,
0),this.roundClean();let oview=out===buffer?view:createView(out),len=this.outputLen,outLen=len/4,state=this.get();if(len%
4||outLen>state.length)throw new Error("invalid outputLen");for(let i=0;i<outLen;i++)oview.setUint32(4*i,state[i],isLE)}digest(){
let{buffer,outputLen}=this;this.digestInto(buffer);let res=buffer.slice(0,outputLen);return this.destroy(),res}_cloneIntoMeta(to){
let{buffer,length,finished,destroyed,pos}=this;return to.destroyed=destroyed,to.finished=finished,to.length=length,to.pos=
pos,pos&&to.buffer.set(buffer),to}clone(){return this._cloneInto()}},SHA256_IV=Uint32Array.from([1779033703,3144134277,1013904242,
2773480762,1359893119,2600822924,528734635,1541459225]);var SHA256_K=Uint32Array.from([1116352408,1899447441,3049323471,3921009573,961987163,1508970993,2453635748,2870763221,3624381080,
310598401,607225278,1426881987,1925078388,2162078206,2614888103,3248222580,3835390401,4022224774,264347078,604807628,770255983,
1249150122,1555081692,1996064986,2554220882,2821834349,2952996808,3210313671,3336571891,3584528711,113926993,338241895,666307205,
773529912,1294757372,1396182291,1695183700,1986661051,2177026350,2456956037,2730485921,2820302411,3259730800,3345764771,
3516065817,3600352804,4094571909,275423344,430227734,506948616,659060556,883997877,958139571,1322822218,1537002063,1747873779,
1955562222,2024104815,2227730452,2361852424,2428436474,2756734187,3204031479,3329325298]),SHA256_W=new Uint32Array(64),SHA2_32B=class extends HashMD{A=0;B=0;C=0;D=0;E=0;F=0;G=0;H=0;constructor(outputLen,IV){
super(64,outputLen,8,!1),this.A=IV[0]|0,this.B=IV[1]|0,this.C=IV[2]|0,this.D=IV[3]|0,this.E=IV[4]|0,this.F=IV[5]|0,this.
G=IV[6]|0,this.H=IV[7]|0}get(){let{A,B,C,D,E,F,G,H}=this;return[A,B,C,D,E,F,G,H]}set(A,B,C,D,E,F,G,H){this.A=A|0,this.B=
B|0,this.C=C|0,this.D=D|0,this.E=E|0,this.F=F|0,this.G=G|0,this.H=H|0}_cloneInto(to){return(to||=new this.constructor).set(
...this.get()),this._cloneIntoMeta(to)}process(view,offset){for(let i=0;i<16;i++,offset+=4)SHA256_W[i]=view.getUint32(offset,
!1);for(let i=16;i<64;i++){let W15=SHA256_W[i-15],W2=SHA256_W[i-2],s0=rotr(W15,7)^rotr(W15,18)^W15>>>3,s1=rotr(W2,17)^rotr(
W2,19)^W2>>>10;SHA256_W[i]=s1+SHA256_W[i-7]+s0+SHA256_W[i-16]|0}let{A,B,C,D,E,F,G,H}=this;for(let i=0;i<64;i++){let sigma1=rotr(
E,6)^rotr(E,11)^rotr(E,25),T1=H+sigma1+Chi(E,F,G)+SHA256_K[i]+SHA256_W[i]|0,T2=(rotr(A,2)^rotr(A,13)^rotr(A,22))+Maj(A,B,
C)|0;H=G,G=F,F=E,E=D+T1|0,D=C,C=B,B=A,A=T1+T2|0}A=A+this.A|0,B=B+this.B|0,C=C+this.C|0,D=D+this.D|0,E=E+this.E|0,F=F+this.
F|0,G=G+this.G|0,H=H+this.H|0,this.set(A,B,C,D,E,F,G,H)}roundClean(){clean(SHA256_W)}destroy(){this.destroyed=!0,this.set(
0,0,0,0,0,0,0,0),clean(this.buffer)}},_SHA256=class extends SHA2_32B{constructor(){super(32,SHA256_IV)}};var sha256=createHasher(()=>new _SHA256,oidNist(1));var encoder=new TextEncoder;function sha2562(data){return sha256(typeof data=="string"?encoder.encode(data):data)}function runningSha256(){
let running=sha256.create();return{update:chunk=>{running.update(chunk)},digest:()=>running.digest()}}var HASH_BYTES=32,EMPTY_ROOT=sha2562(""),scratch=new Uint8Array(65536);function leafHash(data){if(typeof data=="string")
return sha2562(`\0${data}`);let size=1+data.length,prefixed=size<=scratch.length?scratch.subarray(0,size):new Uint8Array(
size);return prefixed[0]=0,prefixed.set(data,1),sha2562(prefixed)}function nodeHash(left,right){let prefixed=scratch.subarray(
0,1+left.length+right.length);return prefixed[0]=1,prefixed.set(left,1),prefixed.set(right,1+left.length),sha2562(prefixed)}function append(frontier,leaf_hash,onNode){let node=leaf_hash,level=0;for(let rest=frontier.size;rest%2===1;rest=(rest-1)/
2)node=nodeHash(frontier.peaks.pop()??missing("peak"),node),level+=1,onNode?.({level,index:(rest-1)/2},node);frontier.peaks.
push(node),frontier.size+=1}function rootOf(frontier){return frontier.peaks.length===0?EMPTY_ROOT:fold(frontier.peaks)}function encodeFrontier(frontier){
let bytes=new Uint8Array(8+HASH_BYTES*frontier.peaks.length);return new DataView(bytes.buffer).setBigUint64(0,BigInt(frontier.
size)),frontier.peaks.forEach((peak,index)=>{bytes.set(peak,8+HASH_BYTES*index)}),bytes}function decodeFrontier(bytes){if(bytes.
length<8)throw new RangeError("A frontier has at least 8 bytes.");let size=Number(new DataView(bytes.buffer,bytes.byteOffset).
getBigUint64(0));if(!isSize(size))throw new RangeError("The size of the frontier is not a safe integer.");let count2=perfectNodes(
{start:0,end:size}).length;if(bytes.length!==8+HASH_BYTES*count2)throw new RangeError(`A frontier of size ${size} has ${count2}\
 peaks.`);let peaks=Array.from({length:count2},(_,index)=>bytes.slice(8+HASH_BYTES*index,8+HASH_BYTES*(index+1)));return{
size,peaks}}function inclusionPath(index,size){if(!isSize(index)||!isSize(size)||index>=size)throw new RangeError(`No le\
af ${index} in a tree of ${size}.`);let path=[],{start,end}={start:0,end:size};for(;end-start>1;){let middle=split(start,
end);path.push(index<middle?{start:middle,end}:{start,end:middle}),index<middle?end=middle:start=middle}return path.reverse()}function perfectNodes(range){let nodes=[],{start}=range;for(;start<range.end;){let level=levelOf(range.end-start);nodes.
push({level,index:start/2**level}),start+=2**level}return nodes}function rangeHash(range,node){return range.start===range.
end?EMPTY_ROOT:fold(perfectNodes(range).map(({level,index})=>node(level,index)))}function verifyInclusion({index,size,leaf_hash,proof,root}){let node=toBigInt(index),last=toBigInt(size)-1n;if(node<0n||
node>last||![leaf_hash,...proof].every(isHash))return!1;let computed=leaf_hash;for(let sibling of proof){if(last===0n)return!1;
let is_right=node%2n===1n||node===last;computed=is_right?nodeHash(sibling,computed):nodeHash(computed,sibling);let levels=is_right?
oddLevel(node)+1n:1n;node>>=levels,last>>=levels}return last===0n&&equal(computed,root)}function oddLevel(node){if(node===0n)return 0n;let level=0n;for(;(node>>level)%2n===0n;)level+=1n;return level}function fold(subtrees){
return subtrees.reduceRight((right,left)=>nodeHash(left,right))}function split(start,end){return start+2**levelOf(end-start-
1)}function levelOf(leaves){let level=0;for(;2**(level+1)<=leaves;)level+=1;return level}function isSize(value){return Number.
isSafeInteger(value)&&value>=0}function toBigInt(value){return typeof value=="bigint"?value:isSize(value)?BigInt(value):
-1n}function isHash(bytes){return bytes.length===HASH_BYTES}function equal(left,right){return left.length===right.length&&
left.every((byte,index)=>byte===right[index])}function missing(what){throw new RangeError(`The frontier lacks a ${what}.`)}var KEY_TYPES={log:1,witness:4},PUBLIC_KEY_BYTES=32,ID_BYTES=4,TIME_BYTES=8,MAX_SIGNATURES=100,SIGNATURE_LINE=/^— ([^ +]+) ([A-Za-z0-9+/]+={0,2})$/u,
encoder2=new TextEncoder,NoteError=class extends Error{name="NoteError";fault;constructor(fault,detail){super(detail),this.
fault=fault}};function noteKey(name,type,public_key){if(!isKeyName(name))throw new NoteError("malformed_key","The name o\
f a key has no blanks and no plus.");if(public_key.length!==PUBLIC_KEY_BYTES)throw new NoteError("malformed_key","An Ed2\
5519 key has 32 bytes.");let owned=new Uint8Array(public_key);return{name,type,id:keyId(name,type,owned),public_key:owned}}
function isKeyName(name){return/^[^\s+\p{C}]{1,255}$/u.test(name)&&name.isWellFormed()}function vkeyOf({name,id,type,public_key}){
return`${name}+${id}+${encodeBase64(Uint8Array.of(type,...public_key))}`}function readVkey(text){let[,name,id,encoded]=/^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.
exec(text)??[],bytes=encoded===void 0?void 0:decodeBase64(encoded),type=Object.values(KEY_TYPES).find(known=>known===bytes?.[0]);
if(name===void 0||bytes===void 0||type===void 0)throw new NoteError("malformed_key","A verifier key has the form <name>+\
<8 hex digits>+<base64>.");let key=noteKey(name,type,bytes.subarray(1));if(key.id!==id)throw new NoteError("malformed_ke\
y","The id of the verifier key is not that of its key.");return key}function readNote(note){let end=note.lastIndexOf(`

`);if(end<0||!note.endsWith(`
`))throw new NoteError("malformed_note","A note ends with an empty line, signatures and a newline.");if(hasControls(note)||
!note.isWellFormed())throw new NoteError("malformed_note","A note has no control characters.");let lines=note.slice(end+
2).split(`
`);if(lines.pop(),lines.length===0||lines.length>MAX_SIGNATURES)throw new NoteError("malformed_note",`A note has 1 to ${MAX_SIGNATURES}\
 signatures.`);return{text:note.slice(0,end+1),signatures:lines.map(readSignature)}}function hasControls(text){for(let index=0;index<
text.length;index+=1){let code=text.charCodeAt(index);if(code<32&&code!==10||code===127)return!0}return!1}function readSignature(line){
let[,name,encoded]=SIGNATURE_LINE.exec(line)??[],bytes=encoded===void 0?void 0:decodeBase64(encoded);if(name===void 0||bytes===
void 0||bytes.length<=ID_BYTES)throw new NoteError("malformed_note","A signature line has an em dash, a name and base64.");
return{name,id:hex(bytes.subarray(0,ID_BYTES)),signature:bytes.slice(ID_BYTES)}}async function signersOf({text,signatures},keys){
let signers=[];for(let{name,id,signature}of signatures){let key=keys.find(known=>known.name===name&&known.id===id);key!==
void 0&&signers.push(await verified(text,key,signature))}if(signers.length===0)throw new NoteError("unsigned","No known \
key signed the note.");return signers}async function verified(text,key,signature){if(key.type===KEY_TYPES.log)return await assertSigned(
key,signature,text),{key,time_s:void 0};let time=signature.length<TIME_BYTES?0n:new DataView(signature.buffer).getBigUint64(
0);if(time===0n||time>BigInt(Number.MAX_SAFE_INTEGER))throw new NoteError("bad_signature",`${key.name} cosigned at no ti\
me.`);let time_s=Number(time);return await assertSigned(key,signature.slice(TIME_BYTES),cosignedText(text,time_s)),{key,
time_s}}async function assertSigned(key,signature,text){let publicKey=await crypto.subtle.importKey("raw",key.public_key,
"Ed25519",!1,["verify"]);if(!await crypto.subtle.verify("Ed25519",publicKey,signature,encoder2.encode(text)))throw new NoteError(
"bad_signature",`The signature of ${key.name} is not over this note.`)}function cosignedText(text,time_s){return`cosigna\
ture/v1
time ${time_s}
${text}`}function keyId(name,type,public_key){let named=encoder2.encode(`${name}
`);return hex(sha2562(Uint8Array.of(...named,type,...public_key)).subarray(0,ID_BYTES))}function hex(bytes){return Array.
from(bytes,byte=>byte.toString(16).padStart(2,"0")).join("")}var CheckpointError=class extends Error{name="CheckpointError";fault;constructor(fault,detail){super(detail),this.fault=
fault}};function readCheckpoint(text){let[origin="",digits="",encoded="",...others]=text.split(`
`),size=/^(0|[1-9]\d*)$/.test(digits)?Number(digits):Number.NaN,root=decodeBase64(encoded);if(origin==="")throw malformed(
"has no origin");if(!Number.isSafeInteger(size))throw malformed("has no size");if(root?.length!==HASH_BYTES)throw malformed(
"has no root of 32 bytes");if(others.pop()!==""||others.includes(""))throw malformed("has an empty line");if(size===0&&encoded!==
encodeBase64(EMPTY_ROOT))throw new CheckpointError("impossible_root","The checkpoint of an empty log has the root of a n\
on-empty one.");return{origin,size,root}}function malformed(what){return new CheckpointError("malformed_checkpoint",`The\
 checkpoint ${what}.`)}var FAULTS={checkpoint_missing:"The log serves no checkpoint.",checkpoint_malformed:"The checkpoint is malformed.",checkpoint_unsigned:"\
The log did not sign its checkpoint.",signature_wrong:"The signature of the log does not match this checkpoint.",origin_changed:"\
The checkpoint belongs to a log with another name.",key_changed:"The log signs with a key other than the pinned one.",witness_signature_wrong:"\
The signature of a witness does not match this checkpoint.",witnesses_too_few:"Fewer witnesses than required have signed\
 the checkpoint.",checkpoint_stale:"No witness has seen this checkpoint for too long.",log_shrunk:"The log is shorter th\
an it was.",log_forked:"The log has signed two different trees of the same size.",log_rewritten:"The log has rewritten i\
ts history.",root_wrong:"The root that the log signed is not the root of its entries.",tile_missing:"A tile of hashes is\
 not served.",tile_truncated:"A tile of hashes is too short.",tile_too_long:"A tile of hashes is too long.",tile_wrong:"\
A tile of hashes does not match its entries.",upper_tile_wrong:"A tile of an upper level does not match the tiles below \
it.",bundle_missing:"A bundle of entries is not served.",bundle_truncated:"A bundle of entries ends too early.",bundle_too_long:"\
A bundle of entries has extra bytes after its entries.",entry_wrong:"An entry does not match the leaf hash at its index.",
entry_not_json:"An entry is not valid JSON.",entry_not_canonical:"An entry is not canonical JSON.",entry_version:"An ent\
ry has a version that this verifier does not support.",entry_shape:"An entry is not a valid leaf.",time_runs_back:"An en\
try is older than the one before it.",proof_malformed:"A proof is not a list of hashes.",proof_of_another_tree:"A proof \
has the length of a proof in a tree of another size.",proof_wrong:"A proof does not lead from its entry to the root that\
 the log signed.",index_beyond_tree:"An entry has an index beyond the signed tree.",leaf_hash_wrong:"A leaf does not mat\
ch its stated hash.",receipt_malformed:"The receipt is malformed.",receipt_incomplete:"The receipt lacks the entry that \
created its record.",receipt_repeated:"The receipt contains two entries of the same kind.",receipt_of_another_record:"Th\
e receipt contains an entry of another record.",receipt_kind_wrong:"An entry of the receipt does not have the stated kin\
d.",pack_malformed:"A line of the pack is malformed.",pack_version:"The pack has a version that this verifier does not s\
upport.",pack_truncated:"The pack has no last line: part of it is missing.",pack_continues:"The pack continues after its\
 last line.",pack_count_wrong:"The counts in the last line do not match the pack.",pack_out_of_order:"The lines of the p\
ack are not in the order of the log.",pack_repeated:"The pack contains a duplicate.",pack_of_another_workflow:"The pack \
contains an entry of another workflow.",pack_leaves_out:"The pack omits log entries of its workflow.",record_missing:"Th\
e pack contains the entry of a record without the record.",record_untold:"A record does not match its log entries.",record_hides:"\
A record omits a change that is in the log.",audit_malformed:"The audit pack is malformed.",audit_version:"The audit pac\
k has a version that this verifier does not support.",audit_file_missing:"The audit pack lacks a file.",audit_file_extra:"\
The audit pack contains a file that its manifest does not list.",audit_file_differs:"A file of the audit pack is not the\
 one that its manifest lists.",audit_checkpoint_differs:"A file of the audit pack is about another checkpoint.",audit_decisions_differ:"\
The decisions of the audit pack do not follow from the log.",audit_policies_differ:"The policy table of the audit pack d\
oes not fit the tokens in the log.",audit_verdict_differs:"The verdict in the audit pack is not the verdict of this veri\
fier.",score_differs:"The service answers a score that does not follow from the log."},LogFault=class extends Error{name="\
LogFault";fault;place;notes;constructor(fault,place2,notes=[]){super(`${FAULTS[fault]} ${place2}`),this.fault=fault,this.
place=place2,this.notes=notes}},KeptError=class extends Error{name="KeptError"};async function believeCheckpoint(note,trust){let{parts,checkpoint}=read(note),{log}=trust;if(checkpoint.origin!==log.name)
throw new LogFault("origin_changed",`It says ${checkpoint.origin}, and ${log.name} is pinned.`,[note]);await assertSignedByLog(
parts,log,note);let witnesses=await cosigners(parts,trust.witnesses??[],note);return assertQuorum(witnesses,trust,note),
assertFresh(witnesses,trust,note),{...checkpoint,note,witnesses}}function read(note){try{let parts=readNote(note);return{
parts,checkpoint:readCheckpoint(parts.text)}}catch(error){throw error instanceof NoteError||error instanceof CheckpointError?
new LogFault("checkpoint_malformed",error.message):error}}async function assertSignedByLog(parts,log,note){let named=parts.
signatures.filter(({name})=>name===log.name);if(named.length===0)throw new LogFault("checkpoint_unsigned",`The log is ${log.
name}.`,[note]);if(!named.some(({id})=>id===log.id))throw new LogFault("key_changed",`Key ${named[0]?.id} signed, and ${log.
id} is pinned.`,[note]);try{await signersOf(parts,[log])}catch(error){throw error instanceof NoteError?new LogFault("sig\
nature_wrong",`The key is ${log.id}.`,[note]):error}}async function cosigners(parts,witnesses,note){let signers=new Map;
for(let key of witnesses)if(parts.signatures.some(({name,id})=>name===key.name&&id===key.id))for(let signer of await signedBy(
parts,key,note))signers.set(key,signer);return[...signers.values()]}async function signedBy(parts,key,note){try{return await signersOf(
parts,[key])}catch(error){throw error instanceof NoteError?new LogFault("witness_signature_wrong",`The witness is ${key.
name}.`,[note]):error}}function assertQuorum(signers,{witnesses=[],quorum},note){let wanted=quorum??witnesses.length;if(!(signers.
length>=wanted))throw new LogFault("witnesses_too_few",`${signers.length} signed, and ${wanted} must.`,[note])}function assertFresh(signers,{
fresh},note){let times=signers.flatMap(({time_s})=>time_s===void 0?[]:[time_s]);if(fresh===void 0||times.length===0)return;
let age_s=Math.floor(fresh.now_ms/1e3)-Math.max(...times);if(age_s>fresh.max_age_s)throw new LogFault("checkpoint_stale",
`It was last seen ${age_s} seconds ago, and ${fresh.max_age_s} is the most.`,[note])}function serializeString(value){if(!value.isWellFormed())throw new Error("Lone surrogate is not allowed");return JSON.stringify(
value)}function serializePrimitive(value){switch(typeof value){case"number":if(isNaN(value))throw new Error("NaN is not \
allowed");if(!isFinite(value))throw new Error("Infinity is not allowed");return JSON.stringify(value);case"string":return serializeString(
value);case"boolean":return value?"true":"false";default:return JSON.stringify(value)}}function enterValue(value,seen){let wrappers=null;
for(;value!==null&&typeof value=="object"&&typeof value.toJSON=="function";){if(seen.has(value))throw new Error("Circula\
r reference detected");seen.add(value),(wrappers??=[]).push(value),value=value.toJSON()}if((value instanceof Number||value instanceof
String||value instanceof Boolean)&&(value=value.valueOf()),value===null||typeof value!="object"){if(wrappers!==null)for(let wrapper of wrappers)
seen.delete(wrapper);return serializePrimitive(value)}if(seen.has(value))throw new Error("Circular reference detected");
return seen.add(value),{container:value,keys:Array.isArray(value)?null:Object.keys(value).sort(),index:0,first:!0,wrappers}}
function canonicalize(object){if(object===null||typeof object!="object")return serializePrimitive(object);let seen=new Set,
root=enterValue(object,seen);if(typeof root!="object")return root;let result=root.keys===null?"[":"{",stack=[root];outer:
for(;stack.length>0;){let frame=stack[stack.length-1],container=frame.container;if(frame.keys===null){for(;frame.index<container.
length;){let i=frame.index++;i>0&&(result+=",");let element2=container[i],value=element2===void 0||typeof element2=="sym\
bol"||typeof element2=="function"?null:element2;if(value===null||typeof value!="object"){result+=serializePrimitive(value);
continue}let child=enterValue(value,seen);if(typeof child!="object"){result+=child===void 0?"null":child;continue}result+=
child.keys===null?"[":"{",stack.push(child);continue outer}result+="]"}else{let keys=frame.keys;for(;frame.index<keys.length;){
let key=keys[frame.index++],value=container[key];if(value===void 0||typeof value=="symbol"||typeof value=="function")continue;
if(value===null||typeof value!="object"){frame.first?frame.first=!1:result+=",",result+=serializeString(key)+":"+serializePrimitive(
value);continue}let child=enterValue(value,seen);if(child!==void 0){if(frame.first?frame.first=!1:result+=",",result+=serializeString(
key)+":",typeof child!="object"){result+=child;continue}result+=child.keys===null?"[":"{",stack.push(child);continue outer}}
result+="}"}if(seen.delete(container),frame.wrappers!==null)for(let wrapper of frame.wrappers)seen.delete(wrapper);stack.
pop()}return result}var CanonicalError=class extends Error{constructor(detail){super(detail),this.name="CanonicalError"}};function canonicalJson(value){
let text=plainJson(value,0)??attempt(value);if(text===void 0)throw new CanonicalError(`A ${typeof value} has no canonica\
l JSON form.`);return text}function attempt(value){try{return canonicalize(value)}catch(error){let reason=error instanceof
Error?error.message:"unknown reason";throw new CanonicalError(`No canonical JSON form: ${reason}.`)}}var PLAIN_DEPTH=32;
function plainJson(value,depth){if(typeof value=="string")return plainString(value);if(typeof value=="number")return Number.
isFinite(value)?String(value):void 0;if(typeof value=="boolean")return String(value);if(value===null)return"null";if(!(typeof value!=
"object"||depth===PLAIN_DEPTH||"toJSON"in value))return Array.isArray(value)?plainArray(value,depth+1):Object.getPrototypeOf(
value)===Object.prototype?plainObject(value,depth+1):void 0}var SPECIAL=/[^ !#-[\]-\ud7ff\ue000-\uffff]/;function plainString(text){
return SPECIAL.test(text)?text.isWellFormed()?JSON.stringify(text):void 0:`"${text}"`}function plainArray(items,depth){let text="\
[";for(let item of items){let own=plainJson(item,depth);if(own===void 0)return;text+=text==="["?own:`,${own}`}return`${text}\
]`}function plainObject(value,depth){let members=value,text="{";for(let name of Object.keys(members).sort()){let member=members[name];
if(member===void 0)continue;let own=plainJson(member,depth),shown2=plainString(name);if(own===void 0||shown2===void 0)return;
text+=text==="{"?`${shown2}:${own}`:`,${shown2}:${own}`}return`${text}}`}var JSON_LIMITS={depth:16,members:256,items:1024};var JsonError=class extends Error{reason;detail;constructor(reason,detail){super(detail),this.name="JsonError",this.reason=
reason,this.detail=detail}};function readJson(text,limits){let source=typeof text=="string"?text:decodeUtf8(text);if(source.
charCodeAt(0)===BYTE_ORDER_MARK)throw new JsonError("bom","The text begins with a byte order mark.");if(!source.isWellFormed())
throw new JsonError("lone_surrogate","The text contains a lone surrogate.");return scan(source,limits===void 0?JSON_LIMITS:
{...JSON_LIMITS,...limits}),parse(source)}var BYTE_ORDER_MARK=65279,QUOTE=34,COMMA=44,MINUS=45,ZERO=48,NINE=57,COLON=58,OPEN_BRACKET=91,BACKSLASH=92,CLOSE_BRACKET=93,
OPEN_BRACE=123,CLOSE_BRACE=125;function scan(text,limits){let containers=[],has_escapes=text.includes("\\"),inner,at=0;for(;at<
text.length;){let code=text.charCodeAt(at);if(code===QUOTE)at=has_escapes?scanString(text,at,inner,limits):scanPlainString(
text,at,inner,limits);else if(code===MINUS||code>=ZERO&&code<=NINE)at=scanNumber(text,at);else if(at+=1,code===COMMA)countComma(
inner,limits,at);else if(code===COLON&&inner!==void 0)inner.name_next=!1;else if(code===OPEN_BRACE||code===OPEN_BRACKET){
if(inner=opened(code===OPEN_BRACE),containers.push(inner)>limits.depth)throw new JsonError("too_deep",`More than ${limits.
depth} levels at position ${at}.`)}else(code===CLOSE_BRACE||code===CLOSE_BRACKET)&&(containers.pop(),inner=containers[containers.
length-1])}}function opened(is_object){return{names:is_object?new Set:void 0,name_next:!0,commas:0}}function countComma(inner,limits,at){
if(inner!==void 0&&(inner.commas+=1,inner.name_next=!0,inner.names===void 0&&inner.commas>=limits.items))throw new JsonError(
"too_many_items",`More than ${limits.items} items in the array at position ${at}.`)}function scanPlainString(text,start,inner,limits){
let quote=text.indexOf('"',start+1),end=quote===-1?text.length:quote;return inner?.names!==void 0&&inner.name_next&&addName(
inner.names,text.slice(start+1,end),limits),end+1}function scanString(text,start,inner,limits){let at=start+1,escaped=!1,
surrogate=!1;for(let code=text.charCodeAt(at);code!==QUOTE&&at<text.length;code=text.charCodeAt(at))code===BACKSLASH?(escaped=
!0,surrogate||=isSurrogateEscape(text,at),at+=2):at+=(at-start)%LONG===0?plainLength(text,at):1;let end=at+1;if(surrogate&&
!parseString(text,start,end).isWellFormed())throw new JsonError("lone_surrogate",`Lone surrogate in the string at positi\
on ${start}.`);if(inner?.names!==void 0&&inner.name_next){let name=escaped?parseString(text,start,end):text.slice(start+
1,at);addName(inner.names,name,limits)}return end}var LONG=256;function plainLength(text,at){let quote=text.indexOf('"',
at),plain=text.slice(at,quote===-1?text.length:quote),backslash=plain.indexOf("\\");return backslash===-1?plain.length:backslash}
function isSurrogateEscape(text,at){let digit=text.charAt(at+2);return text.charAt(at+1)==="u"&&(digit==="d"||digit==="D")}
function addName(names,name,limits){if(isForbidden(name))throw new JsonError("forbidden_member",`The member name ${shown(
name)} is not allowed.`);let before=names.size;if(names.add(name).size===before)throw new JsonError("duplicate_member",`\
The member ${shown(name)} appears twice.`);if(before===limits.members)throw new JsonError("too_many_members",`More than ${limits.
members} members in one object.`)}function isForbidden(name){return name==="__proto__"||name==="constructor"||name==="pr\
ototype"}function scanNumber(text,start){let at=start+1,may_overflow=!1;for(let code=text.charCodeAt(at);isNumberCode(code);code=
text.charCodeAt(at))may_overflow||=code>NINE,at+=1;if((may_overflow||at-start>308)&&Math.abs(Number(text.slice(start,at)))===
1/0)throw new JsonError("number_out_of_range",`The number at position ${start} is too large.`);return at}function isNumberCode(code){
return code<=NINE?code>=ZERO||code===46||code===MINUS||code===43:code===101||code===69}var UTF_8=new TextDecoder("utf-8",
{fatal:!0,ignoreBOM:!0});function decodeUtf8(bytes){try{return UTF_8.decode(bytes)}catch{throw new JsonError("not_utf8",
"The text is not valid UTF-8.")}}function parse(text){try{return JSON.parse(text)}catch(error){throw new JsonError("synt\
ax",`The text is not valid JSON${place(error)}.`)}}function parseString(text,start,end){return String(parse(text.slice(start,
end)))}function place(error){let message=error instanceof Error?error.message:"";return/ at position \d+(?= \(line \d+ column \d+\)$|$)/.
exec(message)?.[0]??""}function shown(name){return JSON.stringify(name.length>64?`${name.slice(0,64)}\u2026`:name)}function isObject(value){
return typeof value=="object"&&value!==null&&!Array.isArray(value)}var TENANT_ID="^[a-z][a-z0-9-]{0,39}$",TENANT=new RegExp(TENANT_ID);function plainAgent(scoped){return scoped.slice(scoped.indexOf(":")+1)}function shownAgent(scoped){return`agent:${plainAgent(scoped)}`}function entryAgent({agent_id}){return typeof agent_id=="string"&&agent_id.startsWith("agent:")?shownAgent(agent_id.slice(
6)):agent_id}var TYPE=/^[a-z_]+\.[a-z_]+$/,INSTANT=/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,decoder=new TextDecoder("u\
tf-8",{fatal:!0,ignoreBOM:!0});function readEntry(data,index){let text=typeof data=="string"?data:decode(data,index),value=parse2(
text,index);if(!isCanonical(text,value))throw faultAt("entry_not_canonical",index);if(!isObject(value))throw faultAt("en\
try_shape",index);if(value.v!==1)throw faultAt("entry_version",index);if(!isLeaf(value))throw faultAt("entry_shape",index);
return value}function decode(data,index){try{return decoder.decode(data)}catch{throw faultAt("entry_not_json",index)}}function parse2(text,index){
try{return JSON.parse(text)}catch{throw faultAt("entry_not_json",index)}}function isCanonical(text,value){try{return JSON.
stringify(value)===text&&isSorted(value)?!text.includes("\\ud"):canonicalJson(value)===text}catch{return!1}}function isSorted(value){
if(typeof value!="object"||value===null)return!0;if(Array.isArray(value))return value.every(isSorted);let before="";for(let[
name,member]of Object.entries(value)){if(name<before||!isSorted(member))return!1;before=name}return!0}function isLeaf(value){
let{type,at}=value;return typeof type=="string"&&typeof at=="string"&&TYPE.test(type)&&INSTANT.test(at)}function faultAt(fault,index){
return new LogFault(fault,`It is entry ${index}.`)}var TILE_WIDTH=256,TILE_LEVELS=8;function tilePath({level,index,width}){let partial=width===TILE_WIDTH?"":`.p/${width}`;return`tile/${level}/${indexPath(
index)}${partial}`}function indexPath(index){let last=String(index%1e3).padStart(3,"0"),rest=Math.floor(index/1e3),path=last;
for(;rest>0;)path=`x${String(rest%1e3).padStart(3,"0")}/${path}`,rest=Math.floor(rest/1e3);return path}function hashesAt(level,size){return Math.floor(size/TILE_WIDTH**level)}function tileOf(level,index,size){let width=Math.
min(TILE_WIDTH,hashesAt(level==="entries"?0:level,size)-index*TILE_WIDTH);return width>0?{level,index,width}:void 0}function splitEntries(bundle,width){let view=new DataView(bundle.buffer,bundle.byteOffset,bundle.byteLength),entries=[],
place2=0;for(;place2+2<=bundle.length&&entries.length<width;){let end=place2+2+view.getUint16(place2);if(end>bundle.length)
return;entries.push(bundle.subarray(place2+2,end)),place2=end}return place2===bundle.length&&entries.length===width?entries:
void 0}async function readHashes(read2,tile){let{bytes,served}=await readServed(read2,tile,"tile_missing"),wanted=served.width*
HASH_BYTES;if(bytes.length<wanted)throw badTile("tile_truncated",served,bytes.length);if(bytes.length>wanted)throw badTile(
"tile_too_long",served,bytes.length);return bytes.subarray(0,tile.width*HASH_BYTES)}async function readEntries(read2,bundle){
let{bytes,served}=await readServed(read2,bundle,"bundle_missing"),entries=splitEntries(bytes,served.width);if(entries!==
void 0)return entries.slice(0,bundle.width);let isLonger=endOf(bytes,served.width)<bytes.length;throw badTile(isLonger?"\
bundle_too_long":"bundle_truncated",served,bytes.length)}async function readServed(read2,tile,missing2){let bytes=await read2(
tilePath(tile));if(bytes!==void 0)return{bytes,served:tile};let full={...tile,width:TILE_WIDTH},grown=tile.width<TILE_WIDTH?
await read2(tilePath(full)):void 0;if(grown===void 0)throw new LogFault(missing2,`It is ${tilePath(tile)}.`);return{bytes:grown,
served:full}}function endOf(bytes,width){let view=new DataView(bytes.buffer,bytes.byteOffset,bytes.byteLength),place2=0;
for(let entry=0;entry<width;entry+=1){if(place2+2>bytes.length)return Number.POSITIVE_INFINITY;place2+=2+view.getUint16(
place2)}return place2<=bytes.length?place2:Number.POSITIVE_INFINITY}function badTile(fault,tile,length){return new LogFault(
fault,`It is ${tilePath(tile)}, with ${length} bytes.`)}function tileTree(start){let levels=levelsOf(start),size=start.size,full=[];function put(hash,level){let open=levels[level]??
emptyLevel(0);levels[level]=open,open.hashes.set(hash,open.frontier.size*HASH_BYTES),append(open.frontier,hash),!(open.frontier.
size<TILE_WIDTH)&&(full.push(dueTile(open,level)),levels[level]=emptyLevel(open.index+1),put(rootOf(open.frontier),level+
1))}function frontier(){return{size,peaks:levels.flatMap(({frontier:frontier2})=>frontier2.peaks.toReversed()).reverse()}}
return{get size(){return size},add(leaf_hash){put(leaf_hash,0),size+=1},filled(){let tiles=full;return full=[],tiles},edge:()=>levels.
map((level,number)=>dueTile(level,number)).filter(({width,old})=>width>old.size&&width<TILE_WIDTH),frontier,root:()=>rootOf(
frontier())}}function emptyLevel(index){let empty=()=>({size:0,peaks:[]});return{index,old:empty(),frontier:empty(),hashes:new Uint8Array(
TILE_WIDTH*HASH_BYTES)}}function dueTile({index,old,frontier,hashes},level){return{level,index,width:frontier.size,old,hashes}}
function levelsOf({size,peaks}){let levels=[];for(let level=0;TILE_WIDTH**level<=size;level+=1){let hashes=Math.floor(size/
TILE_WIDTH**level),own=perfectNodes({start:0,end:size}).flatMap((node,place2)=>{let peak=peaks[place2];return peak!==void 0&&
Math.floor(node.level/TILE_LEVELS)===level?[peak]:[]}),old={size:hashes%TILE_WIDTH,peaks:own},frontier={size:old.size,peaks:[
...own]};levels.push({...emptyLevel(Math.floor(hashes/TILE_WIDTH)),old,frontier})}return levels}function peaksOf(hashes,count2){
let frontier={size:0,peaks:[]};for(let place2=0;place2<count2;place2+=1)append(frontier,hashAt(hashes,place2));return frontier}
function hashAt(hashes,place2){return hashes.subarray(place2*HASH_BYTES,(place2+1)*HASH_BYTES)}function subtreeHash(hashes){
if(hashes.length<=HASH_BYTES)return hashes;let middle=hashes.length/2;return nodeHash(subtreeHash(hashes.subarray(0,middle)),
subtreeHash(hashes.subarray(middle)))}async function rootByTiles(read2,size,checkpoint){return await hashByTiles(read2,{start:0,end:size},checkpoint)}async function isProvenByTiles(read2,index,leaf_hash,checkpoint){
let{size,root}=checkpoint,proof=[];for(let range of inclusionPath(index,size))proof.push(await hashByTiles(read2,range,checkpoint));
return verifyInclusion({index,size,leaf_hash,proof,root})}async function hashByTiles(read2,range,checkpoint){if(range.start===
range.end)return rangeHash(range,()=>checkpoint.root);let hashes=[];for(let node of perfectNodes(range))hashes.push(await nodeByTiles(
read2,node,checkpoint));return hashes.reduceRight((right,left)=>nodeHash(left,right))}async function nodeByTiles(read2,{
level,index},checkpoint){let tile_level=Math.floor(level/TILE_LEVELS),span=2**(level%TILE_LEVELS),first=index*span,tile=tileOf(
tile_level,Math.floor(first/TILE_WIDTH),checkpoint.size);if(tile===void 0)throw new LogFault("tile_missing",`Level ${tile_level}\
 has no hash ${first}.`);let hashes=await readHashes(read2,tile),place2=first%TILE_WIDTH;return subtreeHash(hashes.subarray(
place2*HASH_BYTES,(place2+span)*HASH_BYTES))}var BLOCKS_IN_FLIGHT=8;async function auditLog(options){let{read:read2}=options,checkpoint=await readLatest(options),kept=options.
kept===void 0?void 0:await openKept(options.kept,options),anchors=[...kept===void 0?[]:[kept],...options.anchors??[]];for(let anchor of anchors)
assertNotBehind(checkpoint,anchor);let start=options.quick&&options.kept!==void 0?options.kept.frontier:{size:0,peaks:[]},
tree=tileTree(start),tally=newTally(options,start.size===0?void 0:options.kept?.last_at),history=watchHistory(anchors,start.
size);for await(let block of blocksFrom(options,start.size,checkpoint.size)){await assertHashedInto(block,read2,checkpoint),
addBlock(block,tree,tally,history);for(let tile of tree.filled())await assertServed(tile,read2,checkpoint,kept);options.
onProgress?.({checked:tree.size-start.size,of:checkpoint.size-start.size})}for(let tile of tree.edge())await assertServed(
tile,read2,checkpoint,kept);return await assertRoot(tree,checkpoint,read2,start.size===0?void 0:kept),assertHistory(history,
checkpoint),{checkpoint,entries:tree.size-start.size,newly_seen:checkpoint.size-(kept?.size??0),counts:Object.fromEntries(
[...tally.counts].sort()),first_at:tally.first_at,last_at:tally.last_at,watched:tally.watched,frontier:tree.frontier()}}
async function readLatest({read:read2,...trust}){let bytes=await read2("checkpoint");if(bytes===void 0)throw new LogFault(
"checkpoint_missing",`The log is ${trust.log.name}.`);return await believeCheckpoint(textOf(bytes),trust)}function textOf(bytes){
try{return new TextDecoder("utf-8",{fatal:!0,ignoreBOM:!0}).decode(bytes)}catch{throw new LogFault("checkpoint_malformed",
"It is not UTF-8.")}}async function openKept({note,frontier},{log}){let checkpoint=await believeCheckpoint(note,{log}).catch(
error=>{throw error instanceof LogFault?new KeptError(`The kept checkpoint is not sound. ${error.message}`):error});if(frontier.
size!==checkpoint.size||!isEqual(rootOf(frontier),checkpoint.root))throw new KeptError("The kept frontier is not that of\
 the kept checkpoint.");return checkpoint}function assertNotBehind(now,before){let notes=[before.note,now.note];if(now.size<
before.size)throw new LogFault("log_shrunk",`It had ${before.size} entries and now says ${now.size}.`,notes);if(now.size===
before.size&&!isEqual(now.root,before.root))throw new LogFault("log_forked",`The size is ${now.size}.`,notes)}async function*blocksFrom(options,start,end){
let under_way=[],next=Math.floor(start/TILE_WIDTH);for(;;){for(;under_way.length<BLOCKS_IN_FLIGHT&&start<end&&next*TILE_WIDTH<
end;){let block2=readBlock(options,next,start,end);block2.catch(()=>{}),under_way.push(block2),next+=1}let block=under_way.
shift();if(block===void 0)return;yield await block}}async function readBlock({read:read2,hashes_only},index,start,size){
let width=Math.min(TILE_WIDTH,size-index*TILE_WIDTH),[entries,served]=await Promise.all([hashes_only?void 0:readEntries(
read2,{level:"entries",index,width}),readHashes(read2,{level:0,index,width})]),from=Math.max(0,start-index*TILE_WIDTH),hashes=entries?.
map(entry=>leafHash(entry))??Array.from({length:width},(_,nth)=>hashAt(served,nth));return{index,from,entries,hashes,served}}
async function assertHashedInto(block,read2,checkpoint){let{index,hashes,served}=block,place2=hashes.findIndex((hash,nth)=>!isEqual(
hash,hashAt(served,nth)));if(place2<0)return;let entry=index*TILE_WIDTH+place2;if(await isProvenByTiles(read2,entry,hashAt(
served,place2),checkpoint))throw new LogFault("entry_wrong",`It is entry ${entry}.`);let tile={level:0,index,width:hashes.
length};throw new LogFault("tile_wrong",`It is ${tilePath(tile)}, at entry ${entry}.`)}function addBlock(block,tree,tally,history){
for(let place2=block.from;place2<block.hashes.length;place2+=1){let[entry,hash]=[block.entries?.[place2],block.hashes[place2]];
hash!==void 0&&(entry!==void 0&&count(tally,entry,tree.size),tree.add(hash),history.passed(tree))}}async function assertServed(due,read2,checkpoint,kept){
if(due.level===0&&due.old.size===0)return;let tile=tileOf(due.level,due.index,checkpoint.size);if(tile===void 0)throw new LogFault(
"tile_missing",`It is ${tilePath(due)}.`);let served=await readHashes(read2,tile),first=due.old.size*HASH_BYTES,end=due.
width*HASH_BYTES;if(!(isEqual(served.subarray(first,end),due.hashes.subarray(first,end))&&hasPeaks(served,due.old)))throw kept!==
void 0&&due.old.size>0&&await assertUnchanged(read2,checkpoint,kept),new LogFault(due.level===0?"tile_wrong":"upper_tile\
_wrong",`It is ${tilePath(tile)}.`)}function hasPeaks(served,old){let{peaks}=peaksOf(served,old.size);return peaks.length===
old.peaks.length&&peaks.every((peak,nth)=>isEqual(peak,old.peaks[nth]))}async function assertRoot(tree,checkpoint,read2,kept){
if(!isEqual(tree.root(),checkpoint.root))throw kept!==void 0&&await assertUnchanged(read2,checkpoint,kept),new LogFault(
"root_wrong",`The size is ${checkpoint.size}.`,[checkpoint.note])}async function assertUnchanged(read2,now,before){if(isEqual(
await rootByTiles(read2,now.size,now),now.root)&&!isEqual(await rootByTiles(read2,before.size,now),before.root))throw rewritten(
now,before)}function rewritten(now,before){let place2=`The first ${before.size} entries are not those that it signed bef\
ore.`;return new LogFault("log_rewritten",place2,[before.note,now.note])}function watchHistory(all,start){let anchors=all.
filter(({size})=>size>start),sizes=new Set(anchors.map(({size})=>size)),roots=new Map;return{anchors,roots,passed(tree){
sizes.has(tree.size)&&roots.set(tree.size,tree.root())}}}function assertHistory({anchors,roots},checkpoint){let broken=anchors.
find(({size,root})=>!isEqual(root,roots.get(size)));if(broken!==void 0)throw rewritten(checkpoint,broken)}function newTally({
watch,onEntry},last_at){return{counts:new Map,watch,watched:[],onEntry,first_at:void 0,last_at}}function count(tally,data,index){
let entry=readEntry(data,index),{type,at,provenance_ref}=entry;if(tally.last_at!==void 0&&at<tally.last_at)throw new LogFault(
"time_runs_back",`Entry ${index} says ${at}, after ${tally.last_at}.`);tally.first_at??=at,tally.last_at=at,tally.counts.
set(type,(tally.counts.get(type)??0)+1),tally.watch!==void 0&&provenance_ref===tally.watch&&tally.watched.push(index),tally.
onEntry?.(entry)}function isEqual(left,right){if(left.length!==right?.length)return!1;for(let place2=0;place2<left.length;place2+=
1)if(left[place2]!==right[place2])return!1;return!0}function verifyInclusionOf({leaf,index,proof,checkpoint}){let{size,root}=checkpoint;if(index>=size)throw new LogFault("i\
ndex_beyond_tree",`It is entry ${index} in a tree of ${size} entries.`);let hashes=proof.map(text=>readHash(text,index)),
wanted=inclusionPath(index,size).length;if(hashes.length!==wanted)throw new LogFault("proof_of_another_tree",`Entry ${index}\
 of ${size} takes ${wanted} hashes, and there are ${hashes.length}.`);if(!verifyInclusion({index,size,leaf_hash:leafHash(
leaf),proof:hashes,root}))throw new LogFault("proof_wrong",`It is the proof of entry ${index} in a tree of ${size} entri\
es.`)}function readHash(text,index){let hash=decodeBase64(text);if(hash?.length===HASH_BYTES)return hash;throw new LogFault(
"proof_malformed",`It is the proof of entry ${index}.`)}function pinnedKey(named,pinned,malformed4){let own=ownKey(named,malformed4);if(pinned===void 0)return own;if(named.origin!==
pinned.name)throw new LogFault("origin_changed",`It says ${named.origin}, and ${pinned.name} is pinned.`);if(vkeyOf(own)!==
vkeyOf(pinned))throw new LogFault("key_changed",`It names key ${own.id}, and ${pinned.id} is pinned.`);return pinned}function ownKey({
origin,vkey},malformed4){let key=attempt2(vkey);if(key===void 0||key.name!==origin)throw new LogFault(malformed4,"It nam\
es no key of the log it is from.");return key}function attempt2(vkey){try{return readVkey(vkey)}catch{return}}var MOMENTS={created:["action.authorized","action.recorded"],completed:["action.completed","action.cancelled","action.ex\
pired"],rated:["action.rated"]};async function checkReceipt(receipt,trust){let{aar_id,origin,vkey,entries,checkpoint:note}=readReceipt(
receipt),log=pinnedKey({origin,vkey},trust.log,"receipt_malformed"),checkpoint=await believeCheckpoint(note,{...trust,log}),
sound=entries.map(entry=>soundEntry(entry,aar_id,checkpoint));return assertMoments(sound),{aar_id,checkpoint,vkey:vkeyOf(
log),pinned:trust.log!==void 0,entries:sound}}function soundEntry(line,aar_id,checkpoint){let{kind,index,leaf,leaf_hash,
proof}=line;if(encodeBase64(leafHash(leaf))!==leaf_hash)throw new LogFault("leaf_hash_wrong",`It is entry ${index}.`);verifyInclusionOf(
{leaf,index,proof,checkpoint});let entry=readEntry(leaf,index);if(entry.aar_id!==aar_id)throw new LogFault("receipt_of_a\
nother_record",`Entry ${index} is not of ${aar_id}.`);if(!MOMENTS[kind].some(type=>type===entry.type))throw new LogFault(
"receipt_kind_wrong",`Entry ${index} is ${entry.type}, not ${kind}.`);return{kind,index,entry}}function assertMoments(entries){
let kinds=entries.map(({kind})=>kind);if(new Set(kinds).size<kinds.length)throw new LogFault("receipt_repeated",`It show\
s ${kinds.join(", ")}.`);if(!kinds.includes("created"))throw new LogFault("receipt_incomplete",`It shows ${kinds.join(",\
 ")}.`)}function readReceipt(value){if(!isObject(value))throw malformed2("It is not an object.");let{aar_id,origin,vkey,
entries,checkpoint}=value;if(typeof aar_id!="string"||typeof origin!="string"||typeof vkey!="string")throw malformed2("I\
t lacks aar_id, origin or vkey.");if(typeof checkpoint!="string"||!Array.isArray(entries)||entries.length===0)throw malformed2(
"It lacks a checkpoint or entries.");return{aar_id,origin,vkey,checkpoint,entries:entries.map(readLine)}}function readLine(value){
if(!isObject(value))throw malformed2("An entry is not an object.");let{kind,index,leaf,leaf_hash,proof}=value;if(!isMoment(
kind)||!isIndex(index)||typeof leaf!="string")throw malformed2("An entry lacks a known kind, an index or a leaf.");if(typeof leaf_hash!=
"string"||!isTextList(proof))throw malformed2(`Entry ${index} lacks a leaf hash or a proof.`);return{kind,index,leaf,leaf_hash,
proof}}function isMoment(value){return typeof value=="string"&&Object.hasOwn(MOMENTS,value)}function isIndex(value){return typeof value==
"number"&&Number.isSafeInteger(value)&&value>=0}function isTextList(value){return Array.isArray(value)&&value.every(item=>typeof item==
"string")}function malformed2(place2){return new LogFault("receipt_malformed",place2)}function hexOf(bytes){return Array.from(bytes,byte=>byte.toString(16).padStart(2,"0")).join("")}var encoder3=new TextEncoder,decoder2=new TextDecoder;function keptTexts(){let blocks=[],places=new Map,used=0;function blockFor(bytes){
let last=blocks.at(-1);if(last!==void 0&&used+bytes<=last.byteLength)return last;let block=new DataView(new ArrayBuffer(
Math.max(1048576,bytes)));return blocks.push(block),used=0,block}return{set(index,text){let block=blockFor(4+text.length*
3),{written}=encoder3.encodeInto(text,new Uint8Array(block.buffer,used+4));block.setUint32(used,written),places.set(index,
(blocks.length-1)*4294967296+used),used+=4+written},get(index){let place2=places.get(index),block=place2===void 0?void 0:
blocks[Math.floor(place2/4294967296)];if(place2===void 0||block===void 0)return;let start=place2%4294967296;return decoder2.
decode(new Uint8Array(block.buffer,start+4,block.getUint32(start)))},delete(index){places.delete(index)},first:()=>places.
keys().next().value}}var TOKEN_TYPES=["token.issued","token.delegated","token.renewed"];function toldRecords(){let untold=keptTexts(),holders=new Map;
function take(moment,record,index){let leaf=typeof index=="number"?leafAt(index):void 0;if(leaf===void 0)throw untoldFault(
record,`no entry ${index} tells that it was ${moment}`);if(!MOMENTS[moment].some(type=>type===leaf.entry.type))throw untoldFault(
record,`entry ${index} is ${leaf.entry.type}, which is not how it was ${moment}`);return compare(record,leaf,{aar_id:leaf.
entry.aar_id,agent_id:entryAgent(leaf.entry)}),untold.delete(leaf.index),leaf}function leafAt(index){let text=untold.get(
index);return text===void 0?void 0:{index,text,entry:readEntry(text,index)}}return{add({index,text,entry}){let{type,token,
human_ref,assurance_level,delegation_depth}=entry;TOKEN_TYPES.includes(type)&&holders.set(token,{human_ref,assurance_level,
delegation_depth}),momentOf(entry)!==void 0&&untold.set(index,text)},assertTold(record){let created=take("created",record,
record.log_index);assertCreated(record,created),assertHolder(record,created,holders.get(created.entry.token)),created.entry.
type==="action.recorded"?assertOutcome(record,created):record.completed_log_index===void 0?assertPending(record,created):
assertClosed(record,created,take("completed",record,record.completed_log_index)),record.rated_log_index===void 0?assertUnrated(
record,created):assertRated(record,take("rated",record,record.rated_log_index))},assertNothingHidden(){let index=untold.
first(),leaf=index===void 0?void 0:leafAt(index);if(leaf===void 0)return;let{entry}=leaf,fault=momentOf(entry)==="create\
d"?"record_missing":"record_hides";throw new LogFault(fault,`Entry ${index} is ${entry.type} of ${entry.aar_id}.`)}}}function momentOf({
type}){return["created","completed","rated"].find(moment=>MOMENTS[moment].some(known=>known===type))}function assertCreated(record,leaf){
let{provenance_ref,action,resource,trust_score,parent_aar_id,token,at}=leaf.entry,leaf_hash=`sha256:${hexOf(leafHash(leaf.
text))}`;compare(record,leaf,{...{provenance_ref,action,resource,trust_score,parent_aar_id,token},created_at:at,leaf_hash})}
function assertHolder(record,created,holder){if(holder===void 0)throw untoldFault(record,"no entry tells who holds its t\
oken");compare(record,created,{...holder})}var UNFLAGGED={over_budget:void 0,exceeded:void 0,completed_after_revocation:void 0};
function assertPending(record,created){let nothing={result:void 0,result_hash:void 0,completed_at:void 0},{entry}=created;
compare(record,created,{...nothing,...UNFLAGGED,state:"pending",spend_usd:spendOf(entry),evidence:evidenceOf(entry)})}function assertOutcome(record,leaf){
let{result,result_hash,at}=leaf.entry,outcome={state:"completed",result,result_hash,completed_at:at},spend_usd=spendOf(leaf.
entry),evidence=evidenceOf(leaf.entry);compare(record,leaf,{...outcome,...UNFLAGGED,spend_usd,evidence,completed_log_index:leaf.
index})}function assertClosed(record,created,closed){let{type,at,result,result_hash,over_budget,exceeded,completed_after_revocation}=closed.
entry;if(closed.entry.authorized_index!==created.index)throw untoldFault(record,`entry ${closed.index} closes another re\
cord`);compare(record,closed,{state:type.slice(7),completed_at:at,result,result_hash,over_budget,exceeded,completed_after_revocation,
spend_usd:spendOf(closed.entry),evidence:evidenceOf(type==="action.expired"?created.entry:closed.entry)})}function assertRated(record,leaf){
let{rating,rater_assurance,at}=leaf.entry;compare(record,leaf,{rating,rater_assurance,feedback_at:at})}function assertUnrated(record,leaf){
compare(record,leaf,{rating:void 0,rater_assurance:void 0,feedback_at:void 0})}function spendOf({spend_usd}){return spend_usd??
0}function evidenceOf({evidence}){return evidence??"self_reported"}function compare(record,{index},told){let name=Object.
keys(told).find(member=>record[member]!==told[member]);if(name!==void 0)throw untoldFault(record,`its ${name} is not tha\
t of entry ${index}`)}function untoldFault(record,what){return new LogFault("record_untold",`Record ${record.aar_id} at ${record.
log_index}: ${what}.`)}var PACK_FORMAT="deputy-proof-pack",PACK_VERSION=1,LINE_LIMITS={depth:20},UNPROVEN_MEMBERS=["note","metadata","root_toke\
n","trace_id","expires_at"];async function verifyProofPack(lines,trust){let verifier=proofPackVerifier(trust);for await(let line of lines)
await verifier.take(line);return verifier.finish()}function proofPackVerifier(trust,onEntry=()=>{}){let pack,number=0;return{
async take(line){number+=1,pack===void 0?pack=await openPack(line,trust,onEntry):pack.body.take(line,number)},finish(){if(pack===
void 0)throw malformed3(1);return{...pack.sound,...pack.body.finish()}}}}async function openPack(line,trust,onEntry){let{
provenance_ref,...header}=readHeader(line),log=pinnedKey(header,trust.log,"pack_malformed"),checkpoint=await believeCheckpoint(
header.checkpoint,{...trust,log});return{sound:{provenance_ref,checkpoint,vkey:vkeyOf(log),pinned:trust.log!==void 0},body:packBody(
provenance_ref,checkpoint,onEntry)}}function packBody(provenance_ref,checkpoint,onEntry){let indexes=[],told=toldRecords(),
agents=new Set,vouches=new Map,records=0,last_record=-1,is_ended=!1;function takeEntry(line,number){let{index,leaf,proof}=line;
if(!isIndex(index)||typeof leaf!="string"||!isTextList(proof))throw malformed3(number);if(assertAfter(index,indexes.at(-1)??
-1,number),records>0)throw new LogFault("pack_out_of_order",`Line ${number}: an entry after the records.`);verifyInclusionOf(
{leaf,index,proof,checkpoint});let entry=readEntry(leaf,index);if(entry.provenance_ref!==provenance_ref)throw new LogFault(
"pack_of_another_workflow",`Line ${number}: entry ${index}.`);indexes.push(index),agents.add(entry.agent_id),told.add({index,
text:leaf,entry}),onEntry(index,entry)}function takeRecord(record,number){if(!isClaimedRecord(record))throw malformed3(number);
assertAfter(record.log_index,last_record,number),told.assertTold(record),last_record=record.log_index,records+=1}function takeVouch(value,number){
if(!isObject(value))throw malformed3(number);let{index,leaf,proof}=value;if(!isIndex(index)||typeof leaf!="string"||!isTextList(
proof))throw malformed3(number);if(vouches.has(index))throw new LogFault("pack_repeated",`Line ${number}: ${index} again\
.`);verifyInclusionOf({leaf,index,proof,checkpoint});let{type,vouch_id,to}=readEntry(leaf,index);if(!(type==="vouch.made"?
isObject(to)&&agents.has(to.agent_id):(type==="vouch.changed"||type==="vouch.withdrawn")&&[...vouches.values()].includes(
vouch_id)))throw new LogFault("pack_of_another_workflow",`Line ${number}: entry ${index}.`);vouches.set(index,vouch_id)}
function takeEnd(line){if(is_ended=!0,line.entries!==indexes.length)throw new LogFault("pack_count_wrong",`It says ${line.
entries} entries and has ${indexes.length}.`);if(line.records!==records)throw new LogFault("pack_count_wrong",`It says ${line.
records} records and has ${records}.`);if((line.vouches??0)!==vouches.size)throw new LogFault("pack_count_wrong",`It say\
s ${line.vouches} vouches and has ${vouches.size}.`);told.assertNothingHidden()}return{take(text,number){if(is_ended)throw new LogFault(
"pack_continues",`It is line ${number}.`);let line=readLine2(text,number);"record"in line?takeRecord(line.record,number):
"vouch"in line?takeVouch(line.vouch,number):line.end===!0?takeEnd(line):takeEntry(line,number)},finish(){if(!is_ended)throw new LogFault(
"pack_truncated",`It has ${indexes.length} entries and ${records} records.`);return{entries:indexes.length,records,vouches:vouches.
size,indexes}}}}function assertAfter(index,before,number){if(index===before)throw new LogFault("pack_repeated",`Line ${number}\
: ${index} again.`);if(index<before)throw new LogFault("pack_out_of_order",`Line ${number}: ${index} after ${before}.`)}
function isClaimedRecord(value){return isObject(value)&&isIndex(value.log_index)}function readHeader(text){let{format,version,
provenance_ref,origin,vkey,checkpoint}=readLine2(text,1);if(format!==PACK_FORMAT)throw malformed3(1);if(version!==PACK_VERSION)
throw new LogFault("pack_version",`It is version ${version}.`);if(typeof provenance_ref!="string"||typeof origin!="strin\
g"||typeof vkey!="string"||typeof checkpoint!="string")throw malformed3(1);return{provenance_ref,origin,vkey,checkpoint}}
function readLine2(text,number){try{let value=readJson(text,LINE_LIMITS);if(isObject(value))return value}catch(error){if(!(error instanceof
JsonError))throw error}throw malformed3(number)}function malformed3(number){return new LogFault("pack_malformed",`It is \
line ${number}.`)}var MAX_LINE_CHARACTERS=4*1024*1024,UnknownFileError=class extends Error{name="UnknownFileError"};async function verifyProofFile(chunks,trust){
let lines=linesOf(chunks);try{return await verifyLines(lines,trust)}finally{await lines.return(void 0)}}async function verifyLines(lines,trust){
let first=await lines.next();if(first.done)throw new UnknownFileError("The file is empty.");let start=attempt3(first.value);
if(isObject(start)&&start.format===PACK_FORMAT)return{kind:"pack",...await verifyProofPack(startingWith(first.value,lines),
trust)};let whole=start??attempt3(await joined(first.value,lines));if(!isObject(whole)||!("aar_id"in whole&&"entries"in whole))
throw new UnknownFileError("The file is neither a proof pack nor a receipt.");return{kind:"receipt",...await checkReceipt(
whole,trust)}}function attempt3(text){try{return readJson(text)}catch(error){if(error instanceof JsonError)return;throw error}}
async function*startingWith(first,rest){yield first,yield*rest}async function joined(first,rest){let text=first;for await(let line of rest)
if(text+=`
${line}`,text.length>MAX_LINE_CHARACTERS)throw tooLong();return text}async function*linesOf(chunks){let decode2=utf8Decoder(),
rest="";for await(let chunk of chunks){let lines=(rest+decode2(chunk)).split(`
`);if(rest=lines.pop()??"",yield*lines,rest.length>MAX_LINE_CHARACTERS)throw tooLong()}rest+=decode2(),rest!==""&&(yield rest)}
function utf8Decoder(){let decoder3=new TextDecoder("utf-8",{fatal:!0,ignoreBOM:!0});return chunk=>{try{return decoder3.
decode(chunk,{stream:chunk!==void 0})}catch{throw new UnknownFileError("The file is not text in UTF-8.")}}}function tooLong(){
return new UnknownFileError("The file has a line that is longer than any of a proof pack.")}var ZipError=class extends Error{name="ZipError"},LOCAL=67324752,CENTRAL=33639248,END=101010256,LOCAL_BYTES=30,CENTRAL_BYTES=46,
END_BYTES=22,DESCRIPTOR_BYTES=16,FLAGS=2056,DEFLATED=8,MAX_DIRECTORY_BYTES=4*1024*1024;async function readArchive(source){
let{count:count2,start,length}=await readEnd(source),directory=await bytesIn(source,start,start+length),files=[],names=new Set,
at=0,offset=0;for(let nth=0;nth<count2;nth+=1){let{entry,next}=readDirectoryEntry(directory,at);if(entry.offset!==offset)
throw new ZipError("It contains bytes that belong to no file.");if(names.has(entry.name))throw new ZipError(`It contains\
 ${entry.name} twice.`);names.add(entry.name);let head=LOCAL_BYTES+entry.name_bytes;await assertLocalName(source,entry,head),
files.push(archivedFile(source,entry,offset+head)),offset+=head+entry.packed+DESCRIPTOR_BYTES,at=next}if(offset!==start||
at!==length)throw new ZipError("It contains bytes that belong to no file.");return files}async function readEnd(source){
let from=source.size-END_BYTES,end=from<0?void 0:viewOf(await bytesIn(source,from,source.size));if(end===void 0||end.getUint32(
0,!0)!==END)throw new ZipError("It has no end: the download is incomplete, or it is not an archive.");let[count2,length,
start]=[end.getUint16(10,!0),end.getUint32(12,!0),end.getUint32(16,!0)];if(start+length!==from||length>MAX_DIRECTORY_BYTES)
throw new ZipError("Its directory is not where it should be.");return{count:count2,start,length}}function readDirectoryEntry(directory,at){
let view=viewOf(directory);if(at+CENTRAL_BYTES>directory.length||view.getUint32(at,!0)!==CENTRAL)throw new ZipError("Its\
 directory is incomplete.");let isPlain=view.getUint16(at+8,!0)===FLAGS&&view.getUint16(at+10,!0)===DEFLATED,name_bytes=view.
getUint16(at+28,!0),others=view.getUint16(at+30,!0)+view.getUint16(at+32,!0);if(!isPlain||others!==0)throw new ZipError(
"It was not written by Deputy.");let next=at+CENTRAL_BYTES+name_bytes;return{entry:{name:textIn(directory.subarray(at+CENTRAL_BYTES,
next)),name_bytes,packed:view.getUint32(at+20,!0),bytes:view.getUint32(at+24,!0),offset:view.getUint32(at+42,!0)},next}}
async function assertLocalName(source,entry,head){let bytes=await bytesIn(source,entry.offset,entry.offset+head),view=viewOf(
bytes);if(!(view.getUint32(0,!0)===LOCAL&&view.getUint16(26,!0)===entry.name_bytes&&view.getUint16(28,!0)===0&&textIn(bytes.
subarray(LOCAL_BYTES))===entry.name))throw new ZipError(`It has another name before ${entry.name} than in its directory.`)}
function archivedFile(source,entry,start){let{name,bytes,packed}=entry;return{name,bytes,async*read(){let seen=0;for await(let chunk of inflated(
source.read(start,start+packed),name)){if(seen+=chunk.length,seen>bytes)break;yield chunk}if(seen!==bytes)throw new ZipError(
`${name} does not have the length that the archive states.`)}}}async function*inflated(packed,name){let reader2=streamOf(
packed).pipeThrough(new DecompressionStream("deflate-raw")).getReader();try{for(let step=await reader2.read();!step.done;step=
await reader2.read())yield step.value}catch(error){throw error instanceof Error&&error.name!=="TypeError"&&!("code"in error)?
error:new ZipError(`${name} cannot be decompressed.`)}finally{await reader2.cancel().catch(()=>{})}}function streamOf(chunks){
let iterator=chunks[Symbol.asyncIterator]();return new ReadableStream({async pull(controller){let step=await iterator.next();
step.done===!0?controller.close():controller.enqueue(new Uint8Array(step.value))},async cancel(){await iterator.return?.()}})}
async function bytesIn(source,start,end){if(end>source.size)throw new ZipError("Its directory points beyond its end.");let bytes=new Uint8Array(
end-start),at=0;for await(let chunk of source.read(start,end))bytes.set(chunk,at),at+=chunk.length;return bytes}function viewOf(bytes){
return new DataView(bytes.buffer,bytes.byteOffset,bytes.byteLength)}function textIn(bytes){return new TextDecoder().decode(
bytes)}var AUDIT_FORMAT="deputy-audit-pack",AUDIT_VERSION=1,AUDIT_FILES={readme:"README.txt",checkpoint:"checkpoint.txt",decisions:"\
decisions.csv",policies:"policies.json",policy_table:"policies.csv",manifest:"manifest.json",verdict:"verdict.json"};function auditWorkflowFile(provenance_ref){
return`workflows/${provenance_ref}.proof-pack.jsonl`}function readManifest(text){let value=parsed(text);if(value.format!==
AUDIT_FORMAT)throw malformedManifest("its format is not that of an audit pack");if(value.version!==AUDIT_VERSION)throw new LogFault(
"audit_version",`It is version ${value.version}.`);let{log,witnesses,workflows,files}=value;if(!isObject(log)||!TEXTS.every(
name=>typeof log[name]=="string")||!isCount(log.size))throw malformedManifest("it names no log");if(!isListOf(witnesses,
isWitness))throw malformedManifest("its witnesses are not a list of keys");if(!isListOf(workflows,isText))throw malformedManifest(
"its workflows are not a list");if(!isListOf(files,isListedFile))throw malformedManifest("its files are not a list");return value}
var TEXTS=["origin","vkey","root"],MANIFEST_LIMITS={items:2e3};function parsed(text){try{let value=readJson(text,MANIFEST_LIMITS);
if(isObject(value))return value}catch(error){if(!(error instanceof JsonError))throw error}throw malformedManifest("it is\
 not JSON")}function isListOf(value,fits){return Array.isArray(value)&&value.every(fits)}function isWitness(value){return isObject(
value)&&isText(value.name)&&isText(value.vkey)}function isListedFile(value){return isObject(value)&&isText(value.name)&&
isText(value.sha256)&&isCount(value.bytes)}function isText(value){return typeof value=="string"}function isCount(value){
return typeof value=="number"&&Number.isSafeInteger(value)&&value>=0}function malformedManifest(why){return new LogFault(
"audit_malformed",`${AUDIT_FILES.manifest}: ${why}.`)}function csvLine(values){return`${values.map(csvCell).join(",")}\r
`}var FORMULA=/^[\s"'`]*[=+\-@\t\r\n＝＋－＠]/,MUST_QUOTE=/[",\r\n]/;function csvCell(value){if(value===void 0)return"";
if(typeof value=="number"||typeof value=="boolean")return String(value);let text=typeof value=="string"?value:JSON.stringify(
value),safe=text.startsWith("'")||FORMULA.test(text)?`'${text}`:text;return MUST_QUOTE.test(safe)?`"${safe.replaceAll('"',
'""')}"`:safe}var DECISIONS=["allowed","denied","approval_requested","approval_endorsed","approved","approval_denied","revoked","suspe\
nded","resumed"],DECISION_COLUMNS=["at","decision","agent_id","action","resource","spend_usd","reasons","decided_by","de\
cided_as","approval_id","record","workflow","log_index"],DECISION_HEADER=csvLine(DECISION_COLUMNS);function decisionReader(){
let requests=new Map,deciders=new Map;return(log_index,entry)=>{let{type,approval_id,at,provenance_ref:workflow}=entry;type===
"approval.requested"&&requests.set(approval_id,actionIn(entry)),type==="approval.decided"&&deciders.set(approval_id,entry.
by);let row=rowOf(entry,requests.get(approval_id),deciders.get(approval_id));if(row===void 0)return;let cells={...row,at,
workflow,log_index};return{decision:row.decision,text:csvLine(DECISION_COLUMNS.map(column=>cells[column]))}}}function rowOf(entry,request,decider){
let{approval_id,by,rank}=entry,asked={...request,approval_id};switch(entry.type){case"action.recorded":case"action.autho\
rized":return{decision:"allowed",...actionIn(entry),record:entry.aar_id,approval_id,decided_by:decider};case"action.deni\
ed":return{decision:"denied",...actionIn(entry),record:entry.denial_id,reasons:words(entry.reasons)};case"approval.reque\
sted":return{decision:"approval_requested",...asked};case"approval.endorsed":return{decision:"approval_endorsed",...asked,
decided_by:by,decided_as:sideOf(entry)};case"approval.decided":return{decision:entry.decision==="approved"?"approved":"a\
pproval_denied",...asked,decided_by:by,decided_as:sideOf(entry)};case"token.revoked":return{decision:"revoked",agent_id:entryAgent(
entry)};case"token.suspended":return{decision:"suspended",agent_id:entryAgent(entry),decided_as:rank};case"token.resumed":
return{decision:"resumed",agent_id:entryAgent(entry),decided_as:rank};default:return}}function actionIn(entry){let{action,
resource,spend_usd}=entry;return{agent_id:entryAgent(entry),action,resource,spend_usd}}function sideOf({reviewer,owner}){
return reviewer===!0?"reviewer":owner===!0?"owner":void 0}function words(reasons){return Array.isArray(reasons)?reasons.
join(" "):void 0}function verdictTally(){let workflows=[],decisions=new Map,inWorkflow=0;return{countDecision(decision){decisions.set(decision,
(decisions.get(decision)??0)+1),inWorkflow+=1},endWorkflow({provenance_ref,entries,records,vouches}){workflows.push({provenance_ref,
entries,records,vouches,decisions:inWorkflow}),inWorkflow=0},verdict:({origin,size,root,witnesses},manifest)=>({format:"\
deputy-audit-verdict",version:1,outcome:"sound",manifest,log:{origin,size,root:encodeBase64(root)},witnesses:witnesses.map(
({key,time_s})=>({name:key.name,...time_s!==void 0&&{cosigned_at:new Date(time_s*1e3).toISOString()}})),totals:totalsOf(
workflows,decisions),workflows,unproven:UNPROVEN_MEMBERS})}}function totalsOf(workflows,decisions){let sum=name=>workflows.
reduce((total,workflow)=>total+workflow[name],0),counts=Object.fromEntries(DECISIONS.map(word=>[word,decisions.get(word)??
0]));return{workflows:workflows.length,entries:sum("entries"),records:sum("records"),vouches:sum("vouches"),decisions:counts}}
function firstDifference(one,other,at=""){if(Object.is(one,other))return;let areLists=Array.isArray(one)&&Array.isArray(
other),areObjects=isObject(one)&&isObject(other)&&!Array.isArray(one)&&!Array.isArray(other);if(!areLists&&!areObjects)return at===
""?"/":at;let names=new Set([...Object.keys(Object(one)),...Object.keys(Object(other))]);for(let name of names){let found=firstDifference(
Object(one)[name],Object(other)[name],`${at}/${name}`);if(found!==void 0)return found}}var TOKEN_COLUMNS=["at","workflow","log_index","agent_id","token","assurance_level"],FINDING_COLUMNS=["policy","version",
"asserted","met","unmet"],POLICY_TABLE_HEADER=csvLine([...TOKEN_COLUMNS,...FINDING_COLUMNS]),TOKEN_TYPES2=["token.issued",
"token.delegated","token.renewed"];function beginsToken({type}){return TOKEN_TYPES2.includes(type)}function isPolicyLineOf(line,index,entry,{name,version}){let start=csvLine([...tokenCells(index,entry),name,version]).replace(
/\r\n$/,",");return line.startsWith(start)&&/^(true|false),(true|false),[^\n]*\r\n$/.test(line.slice(start.length))}function tokenCells(index,entry){
let{at,provenance_ref,token,assurance_level}=entry;return[at,provenance_ref,index,entryAgent(entry),token,assurance_level]}var MAX_JSON_BYTES=4*1024*1024;function isArchive(start){return start[0]===80&&start[1]===75}async function verifyAuditPack(source,trust){
try{return await verifiedArchive(await readArchive(source),trust)}catch(error){throw error instanceof ZipError||error instanceof
UnknownFileError?new LogFault("audit_malformed",error.message):error}}async function verifiedArchive(archived,trust){let files=new Map(
archived.map(file=>[file.name,file])),manifest_text=await textOf2(files,AUDIT_FILES.manifest),manifest=readManifest(manifest_text.
text);assertSameFiles(archived,manifest);let log=pinnedKey(manifest.log,trust.log,"audit_malformed"),checkpoint=await readCheckpointFile(
files,manifest,{...trust,log}),tables=await openTables(files),tally=verdictTally(),indexes=new Map;try{for(let provenance_ref of manifest.
workflows){let sound=await verifyWorkflow(provenance_ref,{files,checkpoint,log,tables,tally});indexes.set(provenance_ref,
sound.indexes)}for(let table of[tables.decisions,tables.policies])await table.end()}finally{for(let table of[tables.decisions,
tables.policies])await table.close()}await assertListed(files,manifest);let verdict=tally.verdict(checkpoint,manifest_text.
sha256);return await assertVerdict(files,verdict),{manifest,checkpoint,vkey:vkeyOf(log),pinned:trust.log!==void 0,verdict,
indexes}}function assertSameFiles(archived,manifest){let{readme,checkpoint,decisions,policies,policy_table}=AUDIT_FILES,
middle=manifest.workflows.map(auditWorkflowFile),wanted=[readme,checkpoint,...middle,decisions,policies,policy_table],listed=manifest.
files.map(({name})=>name),missing2=wanted.find(name=>!listed.includes(name));if(missing2!==void 0)throw new LogFault("au\
dit_file_missing",`The manifest does not list ${missing2}.`);let present=archived.map(({name})=>name),all=[...wanted,AUDIT_FILES.
manifest,AUDIT_FILES.verdict],absent=[...all,...listed].find(name=>!present.includes(name));if(absent!==void 0)throw new LogFault(
"audit_file_missing",`It is ${absent}.`);let extra=[...present,...listed].find(name=>!all.includes(name));if(extra!==void 0)
throw new LogFault("audit_file_extra",`It is ${extra}.`);if(present.join(`
`)!==all.join(`
`)||listed.join(`
`)!==wanted.join(`
`))throw new LogFault("audit_malformed","Its files are not in their order.")}async function readCheckpointFile(files,{log:stated,
witnesses},trust){let{text}=await textOf2(files,AUDIT_FILES.checkpoint);await believeCheckpoint(text,trust);let keys=witnesses.
map(({vkey})=>witnessKey(vkey)),checkpoint=await believeCheckpoint(text,{log:trust.log,witnesses:keys,quorum:0});if(checkpoint.
size!==stated.size)throw new LogFault("audit_checkpoint_differs",`${AUDIT_FILES.manifest} states a log of ${stated.size}\
 entries, ${AUDIT_FILES.checkpoint} of ${checkpoint.size}.`);return checkpoint}function witnessKey(vkey){try{return readVkey(
vkey)}catch(error){throw error instanceof NoteError?new LogFault("audit_malformed",`${AUDIT_FILES.manifest}: a witness h\
as no valid key.`):error}}async function verifyWorkflow(provenance_ref,audit){let name=auditWorkflowFile(provenance_ref);
try{return await verifiedWorkflow(provenance_ref,name,audit)}catch(error){throw!(error instanceof LogFault)||error.place.
includes(".csv")?error:new LogFault(error.fault,`${error.place} The file is ${name}.`,error.notes)}}async function verifiedWorkflow(provenance_ref,name,audit){
let{files,checkpoint,log,tables,tally}=audit,due=[],decisionOf=decisionReader(),verifier=proofPackVerifier({log},(index,entry)=>{
let line=decisionOf(index,entry);line!==void 0&&(tally.countDecision(line.decision),due.push(()=>tables.decisions.expect(
line.text,index))),beginsToken(entry)&&due.push(()=>tables.expectPolicies(index,entry))});for await(let line of linesOf(
contentOf(files,name))){await verifier.take(line);for(let compare2 of due.splice(0))await compare2()}let sound=verifier.
finish();if(sound.provenance_ref!==provenance_ref)throw new LogFault("pack_of_another_workflow",`It is of ${sound.provenance_ref}\
.`);if(sound.checkpoint.note!==checkpoint.note)throw new LogFault("audit_checkpoint_differs",`It is not that of ${AUDIT_FILES.
checkpoint}.`);return tally.endWorkflow(sound),sound}async function openTables(files){let known=policiesIn((await textOf2(
files,AUDIT_FILES.policies)).text),decisions=comparedTable(files,AUDIT_FILES.decisions,"audit_decisions_differ"),policies=comparedTable(
files,AUDIT_FILES.policy_table,"audit_policies_differ");return await decisions.expect(DECISION_HEADER),await policies.expect(
POLICY_TABLE_HEADER),{decisions,policies,async expectPolicies(index,entry){for(let policy of known)await policies.accept(
line=>isPolicyLineOf(line,index,entry,policy),index)}}}function comparedTable(files,name,fault){let lines=linesOf(contentOf(
files,name)),number=0;async function accept(fits,index){number+=1;let step=await lines.next();if(step.done!==!0&&fits(`${step.
value}
`))return;let told=index===void 0?"is not the header":`does not match log entry ${index}`;throw new LogFault(fault,`${name}\
, line ${number} ${told}.`)}return{accept,expect:(line,index)=>accept(found=>found===line,index),async end(){if((await lines.
next()).done!==!0)throw new LogFault(fault,`${name}, line ${number+1} has no log entry.`)},async close(){await lines.return(
void 0)}}}function policiesIn(text){let value=jsonIn(text),policies=isObject(value)?value.policies:void 0;if(!Array.isArray(
policies)||!policies.every(isNamedPolicy))throw new LogFault("audit_malformed",`${AUDIT_FILES.policies} is not a list of\
 policies.`);return policies}function isNamedPolicy(value){return isObject(value)&&typeof value.name=="string"&&typeof value.
version=="string"}async function assertListed(files,{files:listed}){for(let{name,bytes,sha256:sha2563}of listed)if(await hashOf(
contentOf(files,name))!==sha2563||files.get(name)?.bytes!==bytes)throw new LogFault("audit_file_differs",`It is ${name}.`)}
async function assertVerdict(files,verdict){let stated=jsonIn((await textOf2(files,AUDIT_FILES.verdict)).text),at=firstDifference(
stated,JSON.parse(JSON.stringify(verdict)));if(at==="/manifest")throw new LogFault("audit_file_differs",`It is ${AUDIT_FILES.
manifest}.`);if(at!==void 0)throw new LogFault("audit_verdict_differs",`${AUDIT_FILES.verdict} differs at ${at}.`)}function contentOf(files,name){
let file=files.get(name);if(file===void 0)throw new LogFault("audit_file_missing",`It is ${name}.`);return file.read()}async function textOf2(files,name){
let size=files.get(name)?.bytes??0;if(size>MAX_JSON_BYTES)throw new LogFault("audit_malformed",`${name} is too long.`);let bytes=new Uint8Array(
size),at=0;for await(let chunk of contentOf(files,name))bytes.set(chunk,at),at+=chunk.length;let hash=runningSha256();return hash.
update(bytes),{text:new TextDecoder().decode(bytes),sha256:`sha256:${hexOf(hash.digest())}`}}async function hashOf(chunks){
let hash=runningSha256();for await(let chunk of chunks)hash.update(chunk);return`sha256:${hexOf(hash.digest())}`}function jsonIn(text){
try{return JSON.parse(text)}catch{return}}var STORAGE_KEY="deputy.verify.v1";function recall(){let text=localStorage.getItem(STORAGE_KEY);if(text===null)return;let{
vkey,note,frontier,last_at,checked_at}=JSON.parse(text),key=readVkey(vkey);if(note===void 0)return{key,kept:void 0,checked_at};
let bytes=decodeBase64(frontier);if(bytes===void 0)throw new RangeError("The frontier is not base64.");return{key,kept:{
note,frontier:decodeFrontier(bytes),last_at},checked_at}}function pin(key){localStorage.setItem(STORAGE_KEY,JSON.stringify(
{vkey:vkeyOf(key)}))}function remember(key,{checkpoint,frontier,last_at}){let state={vkey:vkeyOf(key),note:checkpoint.note,
frontier:encodeBase64(encodeFrontier(frontier)),last_at,checked_at:new Date().toISOString()};localStorage.setItem(STORAGE_KEY,
JSON.stringify(state))}function hasMemory(){return localStorage.getItem(STORAGE_KEY)!==null}function forget(){localStorage.
removeItem(STORAGE_KEY)}var ENTRY_LABELS={created:"Created",completed:"Completed",rated:"Rated"},Unchecked=class extends Error{},Withheld=class extends Unchecked{};
async function checkLog(onProgress,api_key){return await findingOf(async()=>{let memory=recall(),named=await namedKey();
memory!==void 0?assertSameKey(named,memory.key):pin(named);let key=memory?.key??named,options={read:reader(api_key),log:key,
kept:memory?.kept,onProgress},hashes_only=!1,audit=await auditLog(options).catch(error=>{if(!(error instanceof Withheld)||
api_key!==void 0)throw error;return hashes_only=!0,auditLog({...options,hashes_only})});return remember(key,audit),soundLog(
audit,key,memory?.kept===void 0,hashes_only)})}async function checkFile(file){return await findingOf(async()=>{let start=new Uint8Array(
await file.slice(0,4).arrayBuffer());if(isArchive(start)){let sound2=await verifyAuditPack(sourceOf(file),{});return soundAuditPack(
sound2,file.name,isPinned(sound2.vkey))}let sound=await verifyProofFile(chunksOf(file),{});return soundFile(sound,file.name,
isPinned(sound.vkey))})}function isPinned(vkey){let own=readVkey(vkey),pinned=recall()?.key;return pinned===void 0||pinned.
name!==own.name?!1:(assertSameKey(own,pinned),!0)}function sourceOf(file){return{size:file.size,read:(start,end)=>chunksOf(
file.slice(start,end))}}async function findingOf(check){try{return await assertEd25519(),await check()}catch(error){return error instanceof
LogFault?{outcome:"fault",sentence:error.message,facts:[["Code",error.fault]],notes:error.notes.length>1?error.notes:[]}:
{outcome:"unchecked",sentence:sentenceOf(error),facts:[],notes:[]}}}function sentenceOf(error){return error instanceof Unchecked||
error instanceof KeptError||error instanceof UnknownFileError?error.message:error instanceof TypeError?"The service is u\
nreachable.":`Unexpected error: ${error instanceof Error?error.message:error}`}async function assertEd25519(){if(!await crypto.
subtle?.generateKey("Ed25519",!1,["sign","verify"]).then(()=>!0).catch(()=>!1))throw new Unchecked("This browser does no\
t support Ed25519 signatures on this page. Use a current browser and https.")}async function namedKey(){let bytes=await reader(
void 0)(".well-known/deputy.json");try{return readVkey(JSON.parse(new TextDecoder().decode(bytes)).log.vkey)}catch{throw new Unchecked(
"This service does not publish a log key.")}}function assertSameKey(named,pinned){if(named.name!==pinned.name)throw new LogFault(
"origin_changed",`The log is named ${named.name}, but ${pinned.name} is pinned.`);if(vkeyOf(named)!==vkeyOf(pinned))throw new LogFault(
"key_changed",`The log has key ${named.id}, but ${pinned.id} is pinned.`)}function reader(api_key){let headers=api_key===
void 0?{}:{authorization:`Bearer ${api_key}`};return async path=>{let answer=await fetch(`/${path}`,{headers,redirect:"e\
rror",cache:"no-cache"});if(!(answer.status===404||answer.status===410)){if(answer.status===401||answer.status===403)throw new Withheld(
withheldText(api_key));if(!answer.ok)throw new Unchecked(`The service answered ${path} with HTTP ${answer.status}.`);return new Uint8Array(
await answer.arrayBuffer())}}}function withheldText(api_key){return api_key===void 0?"The service shows the entries of i\
ts log only with a key.":'The service does not accept this key. Use the key of an operator or auditor of the tenant "def\
ault".'}async function*chunksOf(file){let reader2=file.stream().getReader();for(let next=await reader2.read();!next.done;next=
await reader2.read())yield next.value}function soundLog({checkpoint,newly_seen,...audit},key,isFirst,hashes_only){let size=formatCount(
checkpoint.size),what=hashes_only?`The hashes of all ${size} entries`:`All ${size} entries`,unread=hashes_only?" The ent\
ries themselves were not read: this service shows them only to operators and auditors. Sign in as one, or enter a key, t\
o check them as well.":"";return{outcome:"sound",sentence:isFirst?`${what} match the signed log. This was the first cont\
act: compare the key below with the one that the operator publishes elsewhere. This browser has pinned it.${unread}`:`${what}\
 match the signed log, ${formatCount(newly_seen)} of them new. Nothing has changed since the last check.${unread}`,facts:[
["Log",checkpoint.origin],["Entries",size],...audit.first_at===void 0?[]:[["Times",timesText(audit.first_at,audit.last_at)]],
["Root",encodeBase64(checkpoint.root)],["Key",vkeyOf(key)]],notes:[]}}function soundFile(sound,name,isPinned2){let{checkpoint,
vkey}=sound,what=sound.kind==="pack"?"proof pack":"receipt";return{outcome:"sound",sentence:isPinned2?`Every entry of th\
e ${what} ${name} is in the log signed by the pinned key of this service.`:`The ${what} ${name} is consistent. No key is\
 pinned for its log: compare the key below with the one that the operator publishes.`,facts:[sound.kind==="pack"?["Workf\
low",sound.provenance_ref]:["Record",sound.aar_id],...sound.kind==="pack"?[["Contains",`${formatCount(sound.entries)} en\
tries, ${formatCount(sound.records)} records`]]:sound.entries.map(({kind,index,entry})=>[ENTRY_LABELS[kind],`${entry.at}\
, entry ${index}`]),["Log",`${checkpoint.origin}, ${formatCount(checkpoint.size)} entries`],["Key",vkey]],notes:[]}}function soundAuditPack({
manifest,checkpoint,vkey,verdict:{totals,witnesses}},name,isOfPinnedKey){let words2=Object.entries(totals.decisions).filter(
([,count2])=>count2>0).map(([word,count2])=>`${formatCount(count2)} ${word.replaceAll("_"," ")}`);return{outcome:"sound",
sentence:isOfPinnedKey?`Everything in the audit pack ${name} that follows from the log is as the log says, and the log i\
s signed by the pinned key of this service.`:`The audit pack ${name} is consistent. No key is pinned for its log: compar\
e the key below with the one that the operator publishes.`,facts:[["Workflows",formatCount(totals.workflows)],["Contains",
`${formatCount(totals.entries)} entries, ${formatCount(totals.records)} records`],["Decisions",words2.join(", ")||"none"],
...witnesses.map(({name:witness,cosigned_at=""})=>["Witness",`${witness} ${cosigned_at}`]),["Made",manifest.made_at],["L\
og",`${checkpoint.origin}, ${formatCount(checkpoint.size)} entries`],["Key",vkey]],notes:[]}}function timesText(first_at,last_at=first_at){
let[from,to]=[momentText(first_at),momentText(last_at)],isOneDay=from.slice(0,10)===to.slice(0,10);return`${from} to ${isOneDay?
to.slice(11):to} UTC`}function momentText(instant){return instant.slice(0,19).replace("T"," ")}function formatCount(count2){
return count2.toLocaleString("en-US")}var TITLES={sound:"Verified",fault:"Verification failed",unchecked:"Could not be checked"},button=element("check",HTMLButtonElement),
bar=element("progress",HTMLProgressElement),pace=element("pace",HTMLElement),drop=element("drop",HTMLElement),picker=element(
"file",HTMLInputElement);button.addEventListener("click",()=>run("log-outcome",()=>checkLog(showProgress,enteredKey())));
picker.addEventListener("change",()=>checkFirst(picker.files));element("forget",HTMLButtonElement).addEventListener("cli\
ck",()=>{forget(),showMemory()});for(let name of["dragover","dragleave","drop"])drop.addEventListener(name,event=>{event.
preventDefault(),drop.classList.toggle("over",name==="dragover"),name==="drop"&&checkFirst(event.dataTransfer?.files??null)});
showMemory();element("command",HTMLElement).textContent=`deputy verify ${location.origin}`;function element(id,kind){let found=document.
getElementById(id);if(!(found instanceof kind))throw new Error(`the page has no element ${id}`);return found}function enteredKey(){
let field=document.getElementById("api-key");return field instanceof HTMLInputElement&&field.value.trim()!==""?field.value.
trim():void 0}function checkFirst(files){let file=files?.[0];file!==void 0&&run("file-outcome",()=>checkFile(file))}async function run(place2,check){
if(button.disabled)return;button.disabled=!0,picker.disabled=!0;let outcome=element(place2,HTMLElement);outcome.replaceChildren(
textOf3("p","Checking \u2026")),started_ms=performance.now(),outcome.replaceChildren(...cardOf(await check())),bar.hidden=
!0,pace.textContent="",button.disabled=!1,picker.disabled=!1,picker.value="",showMemory()}var started_ms=0;function showProgress({
checked,of}){let per_second=Math.round(checked*1e3/Math.max(1,performance.now()-started_ms));bar.hidden=!1,bar.max=of,bar.
value=checked,pace.textContent=`${formatCount(checked)} of ${formatCount(of)} entries, ${formatCount(per_second)} per se\
cond`}function cardOf({outcome,sentence,facts,notes}){let card=document.createElement("div");if(card.className=`card ${outcome}`,
card.append(textOf3("h3",TITLES[outcome]),textOf3("p",sentence)),facts.length>0){let list=document.createElement("dl");for(let[
name,value]of facts)list.append(textOf3("dt",name),textOf3("dd",value));card.append(list)}return notes.length>0&&card.append(
proofOf(notes)),[card]}function proofOf(notes){let details=document.createElement("details");return details.append(textOf3(
"summary","Checkpoints that prove the fault")),details.append(...notes.map(note=>textOf3("pre",note))),details}function textOf3(tag,text){
let node=document.createElement(tag);return node.textContent=text,node}function showMemory(){element("memory",HTMLElement).
textContent=memoryText(),element("forget",HTMLButtonElement).hidden=!hasMemory()}function memoryText(){try{let memory=recall();
if(memory===void 0)return"This browser has not checked this log yet.";let{name,id}=memory.key,seen=memory.kept===void 0?
"":` Last verified with ${formatCount(memory.kept.frontier.size)} entries ${dateOf(memory.checked_at)}.`;return`This bro\
wser has pinned key ${id} of ${name}.${seen}`}catch{return"The stored state of this log is damaged. Start over."}}function dateOf(instant=""){
return`on ${instant.slice(0,10)} at ${instant.slice(11,16)} UTC`}
