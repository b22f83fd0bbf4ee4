import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../support/new-directory.ts';
import { allowTraversal, NOBODY, NOT_ROOT, runAs } from '../support/run-as.ts';

const directory = useNewDirectory();

/** Follows a file as another user, as a server does that root has started. @returns the lines of the log. */
function followAsNobody(file: string): readonly (readonly unknown[])[] {
  const module = join(process.cwd(), 'src/cli/serve-as-worker.ts');
  const script = `import(${JSON.stringify(module)}).then(({ followConfigFile }) => {
    const lines = [];
    const level = (name) => (...args) => lines.push([name, ...args]);
    const log = { info: level('info'), warn: level('warn'), error: level('error') };
    followConfigFile({ file: ${JSON.stringify(file)}, load: () => ({}), apply: () => [], log })();
    console.log(JSON.stringify(lines));
  })`;
  const { output, error } = runAs(NOBODY, ['-e', script]);
  expect(error).toBe('');
  return JSON.parse(output) as readonly (readonly unknown[])[];
}

test.skipIf(process.geteuid?.() !== 0)(
  `a file that the user of the server cannot read is reported once, with the remedy (${NOT_ROOT})`,
  () => {
    allowTraversal();
    chmodSync(directory(), 0o711);
    const file = join(directory(), 'keyslot.yaml');
    writeFileSync(file, '{}', { mode: 0o600 });
    expect(followAsNobody(file)).toEqual([
      [
        'warn',
        { file, user: NOBODY, remedy: expect.stringContaining(`chmod 0640 ${file}`) },
        expect.stringContaining("the gateway's user cannot read"),
      ],
    ]);
    chmodSync(file, 0o644);
    expect(followAsNobody(file)).toEqual([]);
    expect(followAsNobody(join(directory(), 'none.yaml'))).toEqual([]);
  },
);
