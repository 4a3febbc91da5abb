/* Deputy, the page that sets up a deployment. Made from web/setup by `node web/build.ts`. */
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
test(character)?character:codePoint(character)).join("")}var form=element("setup-form",HTMLFormElement),name_field=element("key-name",HTMLInputElement),status=element("status",HTMLElement),
setup_secret=/^#(dsu_[\w-]+)$/.exec(location.hash)?.[1];history.replaceState(void 0,"",location.pathname);setup_secret===
void 0?(form.hidden=!0,element("setup-missing",HTMLElement).hidden=!1):form.addEventListener("submit",event=>{event.preventDefault(),
run(setup_secret)});async function run(secret){let button=element("setup-submit",HTMLButtonElement);if(!button.disabled){
button.disabled=!0,say("");try{let name=name_field.value.trim(),{key}=await post("/v1/vat/setup",{setup_secret:secret,...name!==
""&&{name}});showKey(String(key)),await post("/v1/vat/auth/sign-in/key",{key})}catch(error){say(error instanceof Error?error.
message:String(error))}finally{button.disabled=!1}}}function showKey(key){element("setup-key",HTMLElement).textContent=key,
form.hidden=!0,element("setup-done",HTMLElement).hidden=!1,element("setup-copy",HTMLButtonElement).addEventListener("cli\
ck",async()=>{await navigator.clipboard.writeText(key).then(()=>say("Copied."),()=>say("Your browser did not allow copyi\
ng. Select the key and copy it."))}),element("setup-title",HTMLElement).focus()}async function post(path,body){let response=await fetch(
path,{method:"POST",headers:{"content-type":"application/json"},body:JSON.stringify(body)}).catch(()=>{throw new Error("\
The service did not respond. Check that it is running, then try again.")}),answer=await response.json();if(!response.ok)
throw new Error(visibleText(String(answer.detail)));return answer}function say(text){status.textContent=text}function element(id,kind){
let found=document.getElementById(id);if(!(found instanceof kind))throw new Error(`the page lacks ${id}`);return found}
