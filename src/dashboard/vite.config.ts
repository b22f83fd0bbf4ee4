import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

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
      // The web app, and the frame of every page of the reference.
      input: ['index.html', 'reference.html'].map((name) => fileURLToPath(new URL(name, import.meta.url))),
      onLog: (level, log, report) => {
        // "use client" means something to servers that render React; this page is rendered in the browser alone.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  plugins: [blockRendering(), prepareCompressed()],
  logLevel: 'warn',
});

/** Lets the script of the reference run before its page is first shown: the build drops the attribute that says so. */
function blockRendering(): Plugin {
  return {
    name: 'block-rendering',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { path }) =>
        path === '/reference.html'
          ? html.replace('<script type="module"', '<script type="module" blocking="render"')
          : html,
    },
  };
}

const LEVEL = 9;

/** Writes a compressed copy (`.gz` and `.br`) next to each built asset, because the server does not compress. */
function prepareCompressed(): Plugin {
  let folder = '';
  return {
    name: 'prepare-compressed',
    configResolved: ({ build }) => {
      folder = join(build.outDir, build.assetsDir);
    },
    closeBundle: () => {
      for (const name of readdirSync(folder)) {
        const body = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(body, { level: LEVEL }));
        writeFileSync(
          join(folder, `${name}.br`),
          brotliCompressSync(body, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
              [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
            },
          }),
        );
      }
    },
  };
}
