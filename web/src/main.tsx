import '@mantine/core/styles.css';
import './ui/tokens.css';
import './ui/shared.module.css';
import './ui/page.module.css';
import { createRoot } from 'react-dom/client';
import { followLinks } from './browser/route';
import { saveDrafts, loadDrafts } from './browser/draftStorage';
import { initialState } from './store/state';
import { createStore } from './store/store';
import { App } from './shell/App';

// Before the first paint, and not by an inline script, which the page's policy forbids.
function setScheme(): void {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // No storage in this browser: the system decides.
  }
  const system = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const scheme = chosen === 'dark' || chosen === 'light' ? chosen : system;
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
}

setScheme();
const root = document.getElementById('root');
const store = createStore({ ...initialState, drafts: loadDrafts() });
saveDrafts(store);
followLinks();
if (root) createRoot(root).render(<App store={store} />);
