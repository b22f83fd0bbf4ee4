import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { DASHBOARD_PATH } from './calls/places.ts';
import { queryClient } from './calls/query-client.ts';
import { showTheme, storedTheme } from './shell/theme.ts';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';

// Dialogs add a style sheet of their own while they are open; the policy of the page wants its nonce.
setNonce(document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '');
showTheme(storedTheme());

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router base={DASHBOARD_PATH}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
