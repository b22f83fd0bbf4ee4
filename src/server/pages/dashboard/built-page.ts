/** The placeholder that the build writes in the place of each response's nonce (src/dashboard/vite.config.ts). */
const NONCE_PLACEHOLDER = 'KEYSLOT_NONCE';

/** The beginning of the addresses of assets in the build. */
const ASSETS = '"./assets/';

/**
 * Returns the page for one response. The addresses of its assets are relative to the requested path, so that they are right
 * below a path of a proxy as well; nothing of the request is written into the page.
 */
export function placeBuiltPage(
  built: string,
  { path, nonce }: { readonly path: string; readonly nonce: string },
): string {
  return built
    .replaceAll(NONCE_PLACEHOLDER, nonce)
    .replaceAll(ASSETS, `"${wayToRoot(path)}dashboard/assets/`);
}

/** Returns the relative address of the server's root for a page at a path: `../../` for `/docs/ledger/getSlot`. */
export function wayToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 2);
}
