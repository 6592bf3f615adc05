import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { registerWorker } from './worker.ts';

const target = document.getElementById('app') as HTMLElement;
target.replaceChildren(); // the text of index.html
mount(App, { target });
registerWorker();
