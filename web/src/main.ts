import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { watchStyles } from './chunks.ts';

watchStyles();
mount(App, { target: document.getElementById('app') as HTMLElement });
