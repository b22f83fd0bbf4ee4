import { createRequire } from 'node:module';

// bigint-buffer, which spl-token loads, warns that it runs without its native module. That is how it is meant to run
// here (`allowScripts` in package.json); a person who asked for a report need not read of it.
const { warn } = console;
console.warn = () => undefined;
createRequire(import.meta.url)('bigint-buffer');
console.warn = warn;
