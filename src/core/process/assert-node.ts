import { readFileSync } from 'node:fs';

/** The exit code of a mistake that a retry makes again: systemd does not restart the server then. */
const EXIT_MISTAKE = 2;

/**
 * Ends the process with a sentence where Node is older than `engines` of package.json says. It is imported first. What is imported without
 * `import()` after it must exist in older ones too, or they fail before this runs.
 */
const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly engines: { readonly node: string };
};
const oldest = engines.node.replace('>=', '');
const [wanted, found] = [oldest, process.versions.node].map((version) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1_000 + minor;
}) as [number, number];
if (found < wanted) {
  process.stderr.write(
    `keyslot: Node ${oldest} or newer is needed, and ${process.execPath} is Node ${process.versions.node}\n`,
  );
  process.exit(EXIT_MISTAKE);
}
