import{a as M,e as A,h as f,i as H,j as Q}from"./chunk-UU2AKWAA.js";import{a as D,b as v,e as O}from"./chunk-XMZ3R2YP.js";import"./chunk-SJ6NCHKG.js";import{a as z,c as q}from"./chunk-AHY5LZTW.js";import{F as G,G as J,J as c,K as W,N as T,Q as x,S as I,e as d}from"./chunk-GAAAUZUG.js";import{h as e}from"./chunk-3XOMLOZH.js";import{m as k,t as a,v as w}from"./chunk-WU6S6HAX.js";import{b as B,d as u,j as Y}from"./chunk-MIHOLPFG.js";function y({text:t,label:n="Code"}){return e("figure",{class:"snippet","aria-label":n,children:[e("pre",{tabIndex:0,children:t}),e("button",{type:"button",class:"quiet",onClick:()=>{J(t)},children:["Copy",e("span",{class:"sr",children:[" ",n]})]})]})}function K({language:t}){return t==="curl"?null:t==="cli"?e("p",{children:["Run this in the folder where ",e("a",{href:"/guides/install#service-and-command",children:"Deputy is installed"}),"."]}):e("p",{children:[e("a",{href:"/guides/install#sdks",children:"Install the SDK"})," first."]})}var V=[["curl","curl"],["js","JavaScript"],["python","Python"]],X=[["cli","Terminal"],["js","JavaScript"],["python","Python"]];function E({developer_email:t,agent_id:n,resources:o,actions:s,max_spend_usd:r}){return{developer_email:t,agent_id:n,resources:[...o],actions:[...s],...r!==void 0&&{constraints:{max_spend_usd:r}}}}function Z({actions:t,resources:n}){return{action:t[0]??"",resource:n[0]??"",result:"success"}}function ee(t,n,o){let s=E(o);return t==="js"?`import { deputy } from '@deputize/sdk'

const client = deputy({ url: ${JSON.stringify(n)} })
const token = await client.issueL1({
${F(s)}
})
console.log(token.jti)`:t==="python"?`from deputize import Deputy

deputy = Deputy(${JSON.stringify(n)})
token = deputy.issue_l1(
${$(s)}
)
print(token["jti"])`:re(n,"/v1/vat/issue/l1",s)}function te(t,n,o,s){let r={vat_jti:s,...Z(o)};return t==="js"?`import { deputy } from '@deputize/sdk'

const client = deputy({ url: ${JSON.stringify(n)} })
const record = await client.recordAction({
${F(r)}
})
console.log(record.aar_id)`:t==="python"?`from deputize import Deputy

deputy = Deputy(${JSON.stringify(n)})
record = deputy.record_action(
${$(r)}
)
print(record["aar_id"])`:re(n,"/v1/vat/record/action",r)}function ne(t,n,o){let s=E(o),r=Z(o);return t==="js"?`import { deputy, newAgentKey } from '@deputize/sdk'

const url = ${JSON.stringify(n)}
const agent_key = await newAgentKey()
const developer = deputy({ url, key: process.env.DEPUTY_API_KEY })
const token = await developer.issueL1({
${F(s)}
  agent_jwk: agent_key.jwk,
})
const agent = deputy({ url, token: token.compact_jwt, agent_key })
const record = await agent.recordAction({
  vat_jti: token.jti,
${F(r)}
})
console.log(record.aar_id)`:t==="python"?`import os
from deputize import AgentKey, ApiKey, Deputy, DpopToken

url = ${JSON.stringify(n)}
key = AgentKey.generate()
developer = Deputy(url, credential=ApiKey(os.environ["DEPUTY_API_KEY"]))
token = developer.issue_l1(
${$(s)}
    agent_jwk=key.jwk,
)
agent = Deputy(url, credential=DpopToken(token["compact_jwt"], key))
record = agent.record_action(
    vat_jti=token["jti"],
${$(r)}
)
print(record["aar_id"])`:`export DEPUTY_URL=${l(n)}
npx --no -- deputy issue --developer-email ${l(o.developer_email)} --agent-id ${l(o.agent_id)} \\
  --resources ${l(o.resources.join(","))} --actions ${l(o.actions.join(","))}${o.max_spend_usd===void 0?"":` --max-spend-usd ${o.max_spend_usd}`} \\
  --bind-to agent.jwk --save-token agent.token
npx --no -- deputy record ${l(r.action)} ${l(r.resource)} success --token-file agent.token --agent-key-file agent.jwk`}function oe(t,n){let o=n==="keyed"?`
        "--agent-key-file", "/path/to/agent.jwk",`:"";return`{
  "mcpServers": {
    "files": {
      "command": "/path/to/deputy/node_modules/.bin/deputy",
      "args": [
        "mcp-guard",
        "--url", ${JSON.stringify(t)},
        "--token-file", "/path/to/agent.token",${o}
        "--server", "files", "--",
        "npx", "-y",
        "@modelcontextprotocol/server-filesystem",
        "/path/to/files"
      ]
    }
  }
}`}function se(t){return`export DEPUTY_API_KEY=${t??"dk_\u2026"}`}function re(t,n,o){return`curl -s ${l(`${t}${n}`)} -H 'Content-Type: application/json' -d ${l(JSON.stringify(o))}`}function F(t){return ae(t,(n,o)=>`  ${n}: ${o},`)}function $(t){return ae(t,(n,o)=>`    ${n}=${o},`)}function ae(t,n){return Object.entries(t).map(([o,s])=>n(o,JSON.stringify(s))).join(`
`)}function l(t){return/^[\w@%+=:,./-]+$/.test(t)?t:`'${t.replaceAll("'","'\\''")}'`}function S({isDone:t,done:n,waiting:o}){return e("p",{class:t?"outcome done":"dim",children:[e("span",{"aria-hidden":"true",children:t?"\u2713":"\u25D0"})," ",t?n:o]})}var N=["/developer_email","/agent_id","/resources","/actions","/constraints/max_spend_usd"],fe={email:"dev@example.com",agent_id:"calendar-bot",resources:"calendar:events",actions:"read, write",budget:""};function U(){let[t,n]=u(fe),o={developer_email:t.email.trim(),agent_id:t.agent_id.trim(),resources:O(t.resources),actions:O(t.actions),max_spend_usd:ye(t.budget)};return{draft:t,token:o,change:s=>n(r=>({...r,...s}))}}function L({draft:t,change:n,of:o}){return e(B,{children:[e(v,{label:"Your email",pointer:"/developer_email",inputMode:"email",of:o,value:t.email,set:s=>n({email:s})}),e(v,{label:"Agent",pointer:"/agent_id",of:o,value:t.agent_id,set:s=>n({agent_id:s})}),e(v,{label:"Resources",pointer:"/resources",of:o,value:t.resources,set:s=>n({resources:s})}),e(v,{label:"Actions",pointer:"/actions",of:o,value:t.actions,set:s=>n({actions:s})}),e(v,{label:"Budget in US dollars (optional)",pointer:"/constraints/max_spend_usd",inputMode:"decimal",isOptional:!0,of:o,value:t.budget,set:s=>n({budget:s})})]})}function ye(t){let n=t.trim()===""?Number.NaN:Number(t);return Number.isFinite(n)?n:void 0}function ie(){let{draft:t,token:n,change:o}=U(),s=D(N),[r,i]=u("curl"),[p,b]=u(),_=m=>{m.preventDefault(),s.send(async()=>{f.value=!0,b(await w("issueL1",E(n)))})};return e(c,{title:"Issue your first token",children:[e("p",{children:"A token says what an agent may do for a person, within which limits. The form makes the same call as the code."}),e("form",{class:"grid-form",ref:s.form,onSubmit:_,children:[e(L,{draft:t,change:o,of:s}),e("div",{class:"buttons",children:e("button",{type:"submit",class:"filled",disabled:s.isBusy||p!==void 0,children:"Issue token"})})]}),s.problems.text!==void 0&&e(T,{text:s.problems.text}),e(x,{label:"Language",of:V,chosen:r,choose:i}),e(K,{language:r}),p===void 0?e(y,{text:ee(r,location.origin,n),label:"Issue the token"}):e(me,{token:n,issued:p,language:r})]})}function me({token:t,issued:n,language:o}){let s=A.value.some(r=>r.type==="action.completed"&&r.data.vat_jti===n.jti);return e("div",{role:"status",children:[e("p",{children:[e("span",{class:"outcome done",children:[e("span",{"aria-hidden":"true",children:"\u2713"})," Issued"]})," ",e(G,{id:n.jti})]}),e("p",{children:"Now record an action with it:"}),e(y,{text:te(o,location.origin,t,n.jti),label:"Record the first action"}),e(S,{isDone:s,done:"The first action is recorded.",waiting:"Waiting for the first action\u2026"})]})}function de(){let{draft:t,token:n,change:o}=U(),s=D(N),[r,i]=u("cli"),[p,b]=u(),_=()=>s.send(async()=>{f.value=!0,b((await w("createKey",{name:"First program",role:"developer"})).key)}),m=h=>A.value.some(C=>C.type===h);return e(c,{title:"Issue your first token",children:[e("p",{children:"Your program uses a developer key. It issues a token that is bound to the agent's key, so a stolen token alone is useless."}),e("form",{class:"grid-form",onSubmit:h=>h.preventDefault(),children:e(L,{draft:t,change:o,of:s})}),a("createKey")&&p===void 0&&e("div",{class:"buttons",children:e("button",{type:"button",class:"filled",disabled:s.isBusy,onClick:()=>{_()},children:"Create a developer key"})}),s.problems.text!==void 0&&e(T,{text:s.problems.text}),e(y,{text:se(p),label:"Set the key"}),p!==void 0&&e("p",{class:"notice",children:"The key is shown once. Store it before you leave this page."}),e(x,{label:"Language",of:X,chosen:r,choose:i}),e(K,{language:r}),e(y,{text:ne(r,location.origin,n),label:"Issue and record"}),e("div",{role:"status",children:[e(S,{isDone:m("token.issued"),done:"A token is issued.",waiting:"Waiting for the first token\u2026"}),e(S,{isDone:m("action.completed"),done:"The first action is recorded.",waiting:"Waiting for the first action\u2026"})]})]})}var pe={has_own_passkey:{title:"A passkey for you",how:"Sign in to the dashboard with it, and keep your API key in a safe place.",href:"/app/access?tab=passkeys",isKeyedOnly:!0},has_developer_key:{title:"A key for your program",how:"Programs that issue tokens use a developer key.",href:"/app/access",isKeyedOnly:!0},has_token:{title:"The first token",how:"It says what an agent may do, and within which limits.",href:"/app/tokens"},has_action:{title:"The first action",how:"It appears here as soon as an agent records one.",href:"/app/live"},has_provider:{title:"Sign-in for people",how:"Add your sign-in provider to the file in DEPUTY_OIDC_FILE.",isKeyedOnly:!0},has_person_passkey:{title:"A person with a passkey",how:"People sign in at /me and add one there. They approve requests with it.",href:"/app/people",isKeyedOnly:!0},has_channel:{title:"A channel for approval requests",how:"A webhook or a tenant channel notifies people when an agent needs an approval.",href:"/app/access?tab=webhooks"},has_auditor:{title:"A key for an auditor",how:"Auditors read everything and change nothing.",href:"/app/access",isKeyedOnly:!0},has_witness:{title:"A witness for the log",how:"Another party cosigns the log, so that a rewritten log is noticed. List witnesses in DEPUTY_WITNESSES.",href:"/app/log"},has_backup:{title:"Backups",how:"Schedule deputy backup, restore one backup as a test, then tick this."}};function le(t){return Object.keys(pe).flatMap(o=>{let{isKeyedOnly:s=!1,...r}=pe[o],i=t[o];return i===void 0||s&&t.access==="open"?[]:[{id:o,...r,isDone:i}]})}var j="deputy-backup-ticked",ue=Y(localStorage.getItem(j)==="1");function ge(t){ue.value=t,t?localStorage.setItem(j,"1"):localStorage.removeItem(j)}var P=t=>t===void 0?void 0:t.data.length>0;function he(){let t=k.value?.role!=="local",n=d("listTokens",a("listTokens")?{limit:1}:void 0).data,o=d("listRecords",a("listRecords")?{limit:1}:void 0).data,s=d("listKeys",t&&a("listKeys")?{limit:100}:void 0).data,r=d("listProviders",t?{}:void 0).data,i=d("listPasskeys",t&&a("listPasskeys")?{limit:1}:void 0).data,p=d("listKeyPasskeys",t&&a("listKeyPasskeys")?{}:void 0).data,b=d("listWebhooks",a("listWebhooks")?{limit:1}:void 0).data,_=d("getNotifications",t&&a("getNotifications")?{}:void 0).data,m=d("getServiceStatus",a("getServiceStatus")?{}:void 0).data,h=g=>s?.data.some(ce=>ce.role===g),C=_?.channels.some(({state:g})=>g==="active");return{access:t?"keyed":"open",has_token:P(n),has_action:P(o),has_own_passkey:p?.data.some(({key_id:g})=>g===k.value?.key_id),has_developer_key:h("developer"),has_auditor:h("auditor"),has_provider:r?.data.some(({protocol:g})=>g==="oidc"),has_person_passkey:P(i),has_channel:C===!0?!0:P(b),has_witness:m===void 0?void 0:m.witnesses.configured>0,has_backup:ue.value}}function ke(){return e(R,{isOpen:!1})}function R({isOpen:t}){let n=le(he()),o=n.filter(({isDone:r})=>r).length,s=o===n.length;return e("details",{class:"card set-up",open:t,children:[e("summary",{children:[e("span",{class:"strong",children:"Set up Deputy"}),e("progress",{max:n.length,value:o,"aria-label":"Steps that are done"}),e("span",{class:"dim",children:[I(o)," of ",I(n.length)," done"]})]}),e("ul",{children:n.map(r=>e(ve,{step:r},r.id))}),e("div",{class:"buttons",children:e("button",{type:"button",class:"small",onClick:()=>Q(!0),children:s?"Done, hide this list":"Hide this list"})})]})}function ve({step:{id:t,title:n,how:o,isDone:s,href:r}}){return t==="has_backup"?e("li",{children:e("label",{class:"check",children:[e("input",{type:"checkbox",checked:s,onChange:i=>ge(i.currentTarget.checked)}),e("span",{children:[e("span",{class:"strong",children:n})," ",e("span",{class:"dim",children:o})]})]})}):e("li",{children:[e("span",{class:s?"outcome done":"outcome dim",children:[e("span",{"aria-hidden":"true",children:s?"\u2713":"\u25CB"}),e("span",{class:"sr",children:s?"Done:":"To do:"})]}),e("span",{children:[r===void 0?e("span",{class:"strong",children:n}):e("a",{class:"strong",href:r,children:n})," ",e("span",{class:"dim",children:o})]})]})}var be=M(async()=>(await import("./demo-2QVG4QTU.js")).Demo);function _e(){let t=z.value.query.get("demo")==="1";return e(W,{title:"Welcome to Deputy",lead:f.value?"The first token is issued. Continue with any of these, or open the overview.":"Nothing is recorded yet. Start with one of these.",aside:f.value&&e("button",{type:"button",onClick:Se,children:"Open the overview"}),children:[t&&e(be,{id:""}),e("div",{class:"first-run",children:[e("div",{class:"stack",children:[!t&&e(we,{}),e(Te,{})]}),e("div",{class:"stack",children:[!H.value&&e(R,{isOpen:!0}),e(c,{title:"Guard an MCP server",children:[e("p",{children:"The guard asks Deputy before each tool call and records the outcome. Put it in front of the server's command in the configuration of your MCP client."}),e(y,{text:oe(location.origin,k.value?.role==="local"?"open":"keyed")}),e("p",{children:["Use full paths: MCP clients start servers from any folder."," ",e("a",{href:"/guides/mcp#use-it-in-a-desktop-client",children:"How to install the guard"})]})]})]})]})]})}function Se(){f.value=!1,q("/app")}function we(){return e(c,{title:"See it at work",children:[e("p",{children:"Three agents plan a trip: one is denied, one asks you for $149.90, and you can stop it. The demo runs in your browser and leaves nothing in your log."}),e("div",{class:"buttons",children:e("a",{class:"button",href:"/app?demo=1",children:"Play the demo"})})]})}function Te(){return k.value?.role==="local"?e(ie,{}):a("createKey")||a("issueL1")?e(de,{}):e(c,{title:"No token yet",children:e("p",{children:"A developer of your tenant issues the first one. This page updates when it arrives."})})}export{_e as FirstRun,ke as SetUpStrip};
