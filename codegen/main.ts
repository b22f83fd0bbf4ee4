import { runCommand } from './command.ts';

process.exitCode = runCommand(process.argv.slice(2), { tell: console.log, complain: console.error });
