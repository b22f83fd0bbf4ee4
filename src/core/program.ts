/** True in the compiled code of a package. Below `node_modules` Node strips no types; in a checkout it does. */
export const isPackaged = import.meta.url.endsWith('.js');

/**
 * Returns the file that Node runs for an own program, thread or child process: the given `.ts` file, or in a package the JavaScript
 * compiled from it.
 */
export function programUrl(source: URL): URL {
  return isPackaged ? new URL(source.href.replace(/\.ts$/, '.js')) : source;
}
