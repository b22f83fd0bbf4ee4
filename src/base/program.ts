/** Whether this is the compiled code of a package. Below `node_modules` Node strips no types; in a checkout it does. */
export const isPackaged = import.meta.url.endsWith('.js');

/**
 * Returns the file that Node runs for a program of its own, a thread or a child process: the `.ts` file that is named, and in a
 * package the JavaScript that was compiled from it.
 */
export function programUrl(source: URL): URL {
  return isPackaged ? new URL(source.href.replace(/\.ts$/, '.js')) : source;
}
