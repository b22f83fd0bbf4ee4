import { runCommand } from './command.ts';

process.exitCode = runCommand(process.argv.slice(2), { print: console.log, printError: console.error });
