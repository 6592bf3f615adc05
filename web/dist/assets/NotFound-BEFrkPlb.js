<<<<<<<< HEAD:web/dist/assets/NotFound-BxwvjZLm.js
import{On as e,in as t,nn as n}from"./index-DVrhmAQW.js";var r=t(`<h1 tabindex="-1">Page not found</h1> <p>Check the address. <a href="/">Play a run</a> or view <a href="/chain">the chain</a>.</p>`,1);function i(t){var i=r();e(2),n(t,i)}export{i as default};
========
import{On as e,in as t,nn as n}from"./index-D1A3C7K8.js";var r=t(`<h1 tabindex="-1">Page not found</h1> <p>Check the address. <a href="/">Play a run</a> or view <a href="/chain">the chain</a>.</p>`,1);function i(t){var i=r();e(2),n(t,i)}export{i as default};
>>>>>>>> h/abuse:web/dist/assets/NotFound-BEFrkPlb.js
