import { chromium } from 'playwright-core';
const base='http://127.0.0.1:18099';
const browser = await chromium.launch({executablePath:'/usr/bin/chromium',args:['--headless','--no-sandbox','--disable-gpu','--disable-quic']});
const [,, ...urls]=process.argv;
for(const [n,o] of [['d',{viewport:{width:1440,height:900}}],['m',{viewport:{width:390,height:844},colorScheme:'dark',hasTouch:true,isMobile:true}]]){
 const c=await browser.newContext({baseURL:base,...o,storageState:process.env.STATE||undefined}); const p=await c.newPage();
 p.on('console',m=>{if(['error','warning'].includes(m.type())&&!/Failed to load/.test(m.text()))console.log(n,m.text())}); p.on('pageerror',e=>console.log(n,'ERR',e.message));
 for(const u of urls){ await p.goto(u); await p.waitForTimeout(1800); const w=await p.evaluate(()=>document.documentElement.scrollWidth-document.documentElement.clientWidth); if(w>0)console.log('SIDEWAYS',n,u,w); const name='/tmp/shot-'+n+'-'+u.replace(/[^a-z0-9]+/gi,'_')+'.png'; await p.screenshot({path:name,fullPage:true}); console.log(name)}
}
await browser.close();
