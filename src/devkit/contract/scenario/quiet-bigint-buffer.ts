import { createRequire } from 'node:module';

// bigint-buffer, which spl-token loads, warns that it runs without its native module. That is intended here (`allowScripts` in
// package.json), and the warning does not belong in a report.
const { warn } = console;
console.warn = () => undefined;
createRequire(import.meta.url)('bigint-buffer');
console.warn = warn;
