import { writeFileSync } from 'node:fs';

/** Node's option that no signal opens a debugger; every start line and every child of ours has it. */
const NO_DEBUGGER = '--disable-sigusr1';
/** Which parts of memory go into a core dump, by proc(5): none. Children inherit it. */
const NO_MEMORY = '0';

/**
 * Takes the ways by which a process hands its memory out: SIGUSR1, which opens a debugger where Node was started without
 * `--disable-sigusr1` and ends the process where it was started with it, does nothing from now on; and a core dump has no memory in it.
 */
export function hardenProcess(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', ignore);
  keepMemoryOutOfDumps();
}

/** @returns false where the system does not let a process say so of its core dumps: only Linux does. */
export function keepMemoryOutOfDumps(): boolean {
  try {
    writeFileSync('/proc/self/coredump_filter', NO_MEMORY);
    return true;
  } catch {
    return false;
  }
}

/** Node's options of a child: those given, by default this process's own, and the one that it must have. */
export function childOptions(options: readonly string[] = process.execArgv): string[] {
  return [...options.filter((option) => option !== NO_DEBUGGER), NO_DEBUGGER];
}

function ignore(): void {
  // A debugger is what the signal is for.
}
