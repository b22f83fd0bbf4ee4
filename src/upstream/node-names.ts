/** What nodes are called in logs and metrics: host and port of each, without what may be a key. Those of one host are numbered. */
export function nodeNames(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host);
  return hosts.map((host, index) => {
    const before = hosts.slice(0, index).filter((each) => each === host).length;
    return before === 0 ? host : `${host}#${before + 1}`;
  });
}
