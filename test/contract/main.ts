import '../support/quiet-bigint-buffer.ts';
import { contractCommand } from './contract-command.ts';

process.exitCode = await contractCommand(process.argv.slice(2), {
  env: process.env,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
