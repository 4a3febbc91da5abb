/* Deputy, the service worker of the pages for people. Made from web/worker by `node web/build.ts`. */
var worker=globalThis;worker.addEventListener("push",event=>{if(event.data===null)return;let{title,body,path,tag}=event.
data.json();event.waitUntil(worker.registration.showNotification(String(title),{body:String(body),tag:String(tag),icon:"\
/icon.svg",data:{path:String(path)}}))});worker.addEventListener("notificationclick",event=>{event.notification.close(),
event.waitUntil(open(String(event.notification.data?.path??"/me")))});async function open(path){let url=new URL(path,worker.
location.origin);if(url.origin!==worker.location.origin)return;let shown=(await worker.clients.matchAll({type:"window"})).
find(one=>one.url===url.href);await(shown===void 0?worker.clients.openWindow(url.href):shown.focus())}
