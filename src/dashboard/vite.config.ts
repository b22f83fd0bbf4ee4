import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { prepareCompressed } from './prepare-compressed.ts';

/** The server writes the nonce of each response in its place (src/server/pages/dashboard/dashboard-routes.ts). */
const NONCE = 'KEYSLOT_NONCE';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Addresses relative to the page: the server may be reached below a path of a proxy.
  base: './',
  publicDir: false,
  html: { cspNonce: NONCE },
  build: {
    outDir: fileURLToPath(new URL('../../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // Nothing becomes a data: address, which the policy of the page would refuse.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      onLog: (level, log, report) => {
        // "use client" means something to servers that render React; this page is rendered in the browser alone.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  plugins: [prepareCompressed()],
  logLevel: 'warn',
});
