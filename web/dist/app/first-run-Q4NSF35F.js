import{a as J,d as A,g,h as q,i as H}from"./chunk-H6V6RGXX.js";import{a as D,b as k,e as I}from"./chunk-PHM2TWQ7.js";import"./chunk-JSG5EAO7.js";import{a as z,b as M}from"./chunk-T5FNZT6Q.js";import{B as x,e as d,q as Y,r as G,u,v as W,y as T}from"./chunk-RDDGYXPP.js";import{q as e,s as C}from"./chunk-OWRSOMAP.js";import{a as _,f as a}from"./chunk-YVVN7F6G.js";import{m as w}from"./chunk-LQCWG3FG.js";import{b as R,d as c,j as B}from"./chunk-SMWIZHAX.js";function f({text:t,label:o="Code"}){return e("figure",{class:"snippet","aria-label":o,children:[e("pre",{tabIndex:0,children:t}),e("button",{type:"button",class:"quiet",onClick:()=>{G(t)},children:["Copy",e("span",{class:"sr",children:[" ",o]})]})]})}var Q=[["curl","curl"],["js","JavaScript"],["python","Python"]],V=[["cli","Terminal"],["js","JavaScript"],["python","Python"]];function U({developer_email:t,agent_id:o,resources:n,actions:s,max_spend_usd:r}){return{developer_email:t,agent_id:o,resources:[...n],actions:[...s],...r!==void 0&&{constraints:{max_spend_usd:r}}}}function X({actions:t,resources:o}){return{action:t[0]??"",resource:o[0]??"",result:"success"}}function Z(t,o,n){let s=U(n);return t==="js"?`import { deputy } from '@deputize/sdk'

const client = deputy({ url: ${JSON.stringify(o)} })
const token = await client.issueL1({
${F(s)}
})
console.log(token.jti)`:t==="python"?`from deputize import Deputy

deputy = Deputy(${JSON.stringify(o)})
token = deputy.issue_l1(
${K(s)}
)
print(token["jti"])`:ne(o,"/v1/vat/issue/l1",s)}function ee(t,o,n,s){let r={vat_jti:s,...X(n)};return t==="js"?`import { deputy } from '@deputize/sdk'

const client = deputy({ url: ${JSON.stringify(o)} })
const record = await client.recordAction({
${F(r)}
})
console.log(record.aar_id)`:t==="python"?`from deputize import Deputy

deputy = Deputy(${JSON.stringify(o)})
record = deputy.record_action(
${K(r)}
)
print(record["aar_id"])`:ne(o,"/v1/vat/record/action",r)}function te(t,o,n){let s=U(n),r=X(n);return t==="js"?`import { deputy, newAgentKey } from '@deputize/sdk'

const url = ${JSON.stringify(o)}
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

url = ${JSON.stringify(o)}
key = AgentKey.generate()
developer = Deputy(url, credential=ApiKey(os.environ["DEPUTY_API_KEY"]))
token = developer.issue_l1(
${K(s)}
    agent_jwk=key.jwk,
)
agent = Deputy(url, credential=DpopToken(token["compact_jwt"], key))
record = agent.record_action(
    vat_jti=token["jti"],
${K(r)}
)
print(record["aar_id"])`:`export DEPUTY_URL=${l(o)}
npx deputy issue --developer-email ${l(n.developer_email)} --agent-id ${l(n.agent_id)} \\
  --resources ${l(n.resources.join(","))} --actions ${l(n.actions.join(","))}${n.max_spend_usd===void 0?"":` --max-spend-usd ${n.max_spend_usd}`} \\
  --bind-to agent.jwk --save-token agent.token
npx deputy record ${l(r.action)} ${l(r.resource)} success --token-file agent.token --agent-key-file agent.jwk`}function oe(t){return`export DEPUTY_API_KEY=${t??"dk_\u2026"}`}function ne(t,o,n){return`curl -s ${l(`${t}${o}`)} -H 'Content-Type: application/json' -d ${l(JSON.stringify(n))}`}function F(t){return se(t,(o,n)=>`  ${o}: ${n},`)}function K(t){return se(t,(o,n)=>`    ${o}=${n},`)}function se(t,o){return Object.entries(t).map(([n,s])=>o(n,JSON.stringify(s))).join(`
`)}function l(t){return/^[\w@%+=:,./-]+$/.test(t)?t:`'${t.replaceAll("'","'\\''")}'`}function S({isDone:t,done:o,waiting:n}){return e("p",{class:t?"outcome done":"dim",children:[e("span",{"aria-hidden":"true",children:t?"\u2713":"\u25D0"})," ",t?o:n]})}var E=["/developer_email","/agent_id","/resources","/actions","/constraints/max_spend_usd"],ce={email:"dev@example.com",agent_id:"calendar-bot",resources:"calendar:events",actions:"read, write",budget:""};function $(){let[t,o]=c(ce),n={developer_email:t.email.trim(),agent_id:t.agent_id.trim(),resources:I(t.resources),actions:I(t.actions),max_spend_usd:t.budget.trim()===""?void 0:Number(t.budget)};return{draft:t,token:n,change:s=>o(r=>({...r,...s}))}}function P({draft:t,change:o,of:n}){return e(R,{children:[e(k,{label:"Your e-mail",pointer:"/developer_email",inputMode:"email",of:n,value:t.email,set:s=>o({email:s})}),e(k,{label:"Agent",pointer:"/agent_id",of:n,value:t.agent_id,set:s=>o({agent_id:s})}),e(k,{label:"Resources",pointer:"/resources",of:n,value:t.resources,set:s=>o({resources:s})}),e(k,{label:"Actions",pointer:"/actions",of:n,value:t.actions,set:s=>o({actions:s})}),e(k,{label:"Budget in US dollars (optional)",pointer:"/constraints/max_spend_usd",inputMode:"decimal",isOptional:!0,of:n,value:t.budget,set:s=>o({budget:s})})]})}function re(){let{draft:t,token:o,change:n}=$(),s=D(E),[r,i]=c("curl"),[p,b]=c(),v=y=>{y.preventDefault(),s.send(async()=>{g.value=!0,b(await w("issueL1",U(o)))})};return e(u,{title:"Issue your first token",children:[e("p",{children:"A token says what an agent may do for a person, within which limits. The form makes the same call as the code."}),e("form",{class:"grid-form",ref:s.form,onSubmit:v,children:[e(P,{draft:t,change:n,of:s}),e("div",{class:"buttons",children:e("button",{type:"submit",class:"filled",disabled:s.isBusy||p!==void 0,children:"Issue token"})})]}),s.problems.text!==void 0&&e(T,{text:s.problems.text}),e(x,{label:"Language",of:Q,chosen:r,choose:i}),p===void 0?e(f,{text:Z(r,location.origin,o),label:"Issue the token"}):e(ue,{token:o,issued:p,language:r})]})}function ue({token:t,issued:o,language:n}){let s=A.value.some(r=>r.type==="action.completed"&&r.data.vat_jti===o.jti);return e("div",{role:"status",children:[e("p",{children:[e("span",{class:"outcome done",children:[e("span",{"aria-hidden":"true",children:"\u2713"})," Issued"]})," ",e(Y,{id:o.jti})]}),e("p",{children:"Now record an action with it:"}),e(f,{text:ee(n,location.origin,t,o.jti),label:"Record the first action"}),e(S,{isDone:s,done:"The first action is recorded.",waiting:"Waiting for the first action\u2026"})]})}function ae(){let{draft:t,token:o,change:n}=$(),s=D(E),[r,i]=c("cli"),[p,b]=c(),v=()=>s.send(async()=>{g.value=!0,b((await w("createKey",{name:"First program",role:"developer"})).key)}),y=h=>A.value.some(O=>O.type===h);return e(u,{title:"Issue your first token",children:[e("p",{children:"Your program calls with the key of a developer. It issues a token that is bound to a key of the agent, so a stolen token alone is useless."}),e("form",{class:"grid-form",onSubmit:h=>h.preventDefault(),children:e(P,{draft:t,change:n,of:s})}),a("createKey")&&p===void 0&&e("div",{class:"buttons",children:e("button",{type:"button",class:"filled",disabled:s.isBusy,onClick:()=>{v()},children:"Create a developer key"})}),s.problems.text!==void 0&&e(T,{text:s.problems.text}),e(f,{text:oe(p),label:"Set the key"}),p!==void 0&&e("p",{class:"notice",children:"The key is shown once. Store it before you leave this page."}),e(x,{label:"Language",of:V,chosen:r,choose:i}),e(f,{text:te(r,location.origin,o),label:"Issue and record"}),e("div",{role:"status",children:[e(S,{isDone:y("token.issued"),done:"A token is issued.",waiting:"Waiting for the first token\u2026"}),e(S,{isDone:y("action.completed"),done:"The first action is recorded.",waiting:"Waiting for the first action\u2026"})]})]})}var ie={has_own_passkey:{title:"A passkey for you",how:"Sign in to the dashboard with it, and keep your API key in a safe place.",href:"/app/access?tab=passkeys",isKeyedOnly:!0},has_developer_key:{title:"A key for your program",how:"Programs that issue tokens call with the key of a developer.",href:"/app/access",isKeyedOnly:!0},has_token:{title:"The first token",how:"It says what an agent may do, and within which limits.",href:"/app/tokens"},has_action:{title:"The first action",how:"It appears here as soon as an agent records one.",href:"/app/live"},has_provider:{title:"Sign-in for people",how:"Name your identity provider in the file that DEPUTY_OIDC_FILE names.",isKeyedOnly:!0},has_person_passkey:{title:"A person with a passkey",how:"People sign in at /me and add one there. They answer questions with it.",href:"/app/people",isKeyedOnly:!0},has_channel:{title:"A channel for questions",how:"A webhook, or a channel of the tenant, tells somebody when an agent waits for an answer.",href:"/app/access?tab=webhooks"},has_auditor:{title:"A key for an auditor",how:"Auditors read everything and change nothing.",href:"/app/access",isKeyedOnly:!0},has_witness:{title:"A witness for the log",how:"Somebody else cosigns the log, so that nobody can rewrite it unnoticed. DEPUTY_WITNESSES lists them.",href:"/app/log"},has_backup:{title:"Backups",how:"The service cannot see your backups. Tick this once yours run and you have restored one."}};function de(t){return Object.keys(ie).flatMap(n=>{let{isKeyedOnly:s=!1,...r}=ie[n],i=t[n];return i===void 0||s&&t.access==="open"?[]:[{id:n,...r,isDone:i}]})}var N="deputy-backup-ticked",pe=B(localStorage.getItem(N)==="1");function fe(t){pe.value=t,t?localStorage.setItem(N,"1"):localStorage.removeItem(N)}var L=t=>t===void 0?void 0:t.data.length>0;function ye(){let t=_.value?.role!=="local",o=d("listTokens",a("listTokens")?{limit:1}:void 0).data,n=d("listRecords",a("listRecords")?{limit:1}:void 0).data,s=d("listKeys",t&&a("listKeys")?{limit:100}:void 0).data,r=d("listProviders",t?{}:void 0).data,i=d("listPasskeys",t&&a("listPasskeys")?{limit:1}:void 0).data,p=d("listKeyPasskeys",t&&a("listKeyPasskeys")?{}:void 0).data,b=d("listWebhooks",a("listWebhooks")?{limit:1}:void 0).data,v=d("getNotifications",t&&a("getNotifications")?{}:void 0).data,y=d("getServiceStatus",a("getServiceStatus")?{}:void 0).data,h=m=>s?.data.some(le=>le.role===m),O=v?.channels.some(({state:m})=>m==="active");return{access:t?"keyed":"open",has_token:L(o),has_action:L(n),has_own_passkey:p?.data.some(({key_id:m})=>m===_.value?.key_id),has_developer_key:h("developer"),has_auditor:h("auditor"),has_provider:r?.data.some(({protocol:m})=>m==="oidc"),has_person_passkey:L(i),has_channel:O===!0?!0:L(b),has_witness:y===void 0?void 0:y.witnesses.configured>0,has_backup:pe.value}}function me(){return e(j,{isOpen:!1})}function j({isOpen:t}){let o=de(ye()),n=o.filter(({isDone:r})=>r).length,s=n===o.length;return e("details",{class:"card set-up",open:t,children:[e("summary",{children:[e("span",{class:"strong",children:"Set up Deputy"}),e("progress",{max:o.length,value:n,"aria-label":"Steps that are done"}),e("span",{class:"dim",children:[C(n)," of ",C(o.length)," done"]})]}),e("ul",{children:o.map(r=>e(ge,{step:r},r.id))}),e("div",{class:"buttons",children:e("button",{type:"button",class:"small",onClick:()=>H(!0),children:s?"Done, hide this list":"Hide this list"})})]})}function ge({step:{id:t,title:o,how:n,isDone:s,href:r}}){return t==="has_backup"?e("li",{children:e("label",{class:"check",children:[e("input",{type:"checkbox",checked:s,onChange:i=>fe(i.currentTarget.checked)}),e("span",{children:[e("span",{class:"strong",children:o})," ",e("span",{class:"dim",children:n})]})]})}):e("li",{children:[e("span",{class:s?"outcome done":"outcome dim",children:[e("span",{"aria-hidden":"true",children:s?"\u2713":"\u25CB"}),e("span",{class:"sr",children:s?"Done:":"To do:"})]}),e("span",{children:[r===void 0?e("span",{class:"strong",children:o}):e("a",{class:"strong",href:r,children:o})," ",e("span",{class:"dim",children:n})]})]})}var he=J(async()=>(await import("./demo-6VI6TLI4.js")).Demo),ke=`{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": [
        "deputy", "mcp-guard",
        "--url", "URL",
        "--token-file", "agent.token",
        "--server", "files", "--",
        "npx",
        "@modelcontextprotocol/server-filesystem",
        "."
      ]
    }
  }
}`;function be(){let t=z.value.query.get("demo")==="1";return e(W,{title:"Welcome to Deputy",lead:"Nothing is recorded yet. Start with one of these.",aside:g.value&&e("button",{type:"button",onClick:ve,children:"Open the overview"}),children:[t&&e(he,{id:""}),e("div",{class:"first-run",children:[e("div",{class:"stack",children:[!t&&e(_e,{}),e(Se,{})]}),e("div",{class:"stack",children:[!q.value&&e(j,{isOpen:!0}),e(u,{title:"Put a guard before an MCP server",children:[e("p",{children:"The guard asks Deputy before each tool call and records the outcome. Put it before the command of the server in the configuration of your MCP client."}),e(f,{text:ke.replace("URL",location.origin)})]})]})]})]})}function ve(){g.value=!1,M("/app")}function _e(){return e(u,{title:"See it at work",children:[e("p",{children:"Three agents plan a trip: one is denied, one asks you for $149.90, and you can stop it. The demo runs in your browser, and nothing of it reaches your log."}),e("div",{class:"buttons",children:e("a",{class:"button",href:"/app?demo=1",children:"Play the demo"})})]})}function Se(){return _.value?.role==="local"?e(re,{}):a("createKey")||a("issueL1")?e(ae,{}):e(u,{title:"No token yet",children:e("p",{children:"A developer of your tenant issues the first one. This page changes when it is there."})})}export{be as FirstRun,me as SetUpStrip};
