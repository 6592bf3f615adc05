import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { registerWorker } from './worker.ts';

mount(App, { target: document.getElementById('app') as HTMLElement });
registerWorker();
