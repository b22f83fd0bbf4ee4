import { INSPECTED, usedBytes } from '../../fuzz/open-server.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { randomOf } from '../../lab/random.ts';
import { signerPidOf } from '../../lab/gateways/signer-pid.ts';
import { growthOf, isRunning, watchMemory } from './memory.ts';
import type { Lane, LaneDeps, Protocol } from './protocol.ts';

/** The result of one protocol's requests. */
export type ProtocolResult = {
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
  /** Answers by what they were. */
  readonly answers: ReadonlyMap<string, number>;
  /** Heap and buffers in use, after a collection: after the first tenth of the requests, and after the last. */
  readonly usedMiB: readonly [number, number];
  /** The growth of resident memory in the second half, by process; undefined where the run was too short to tell. */
  readonly grownMiB: Readonly<Record<string, number | undefined>>;
  readonly faults: readonly string[];
};

export type ProtocolRun = {
  readonly requests: number;
  readonly seed: number;
  /** The run ends then, however many were sent, and that is a fault. */
  readonly deadlineMs: number;
};

const MIB = 1024 * 1024;
/** The first tenth of a run fills caches and pools. */
const WARM_UP = 0.1;
/** The growth allowed for heap and buffers in use after that. */
const USED_BOUND_MIB = 16;
/** The growth allowed for resident memory, as a slope over the second half of the run: collections come late on a busy machine. */
const RESIDENT_BOUND_MIB = 64;
/** No more faults than this are listed. */
const MAX_FAULTS = 20;
const SETTLE_MS = 2_000;
/** Text that no log has of a server that only bad clients harm. The inspector logs that it listens. */
const BAD_LOG = /unhandled|\bWarning:|a request failed|"level":(?:50|60)|\bat .*\.ts:\d+/i;

/** Starts a server, sends it fuzzed requests, and looks whether it still serves as before, in memory that stays flat. */
export async function runProtocol(protocol: Protocol, run: ProtocolRun): Promise<ProtocolResult> {
  const keyslot = await startKeyslot({ env: { ...protocol.env, ...INSPECTED } });
  try {
    return await new ProtocolFuzz(protocol, run, keyslot).run();
  } finally {
    await keyslot.stop();
  }
}

class ProtocolFuzz {
  readonly #protocol: Protocol;
  readonly #run: ProtocolRun;
  readonly #keyslot: RunningKeyslot;
  readonly #answers = new Map<string, number>();
  readonly #faults: string[] = [];
  readonly #startedAtMs = performance.now();
  #sent = 0;

  constructor(protocol: Protocol, run: ProtocolRun, keyslot: RunningKeyslot) {
    this.#protocol = protocol;
    this.#run = run;
    this.#keyslot = keyslot;
  }

  async run(): Promise<ProtocolResult> {
    const { requests, seed } = this.#run;
    const open = await this.#protocol.prepare(this.#keyslot);
    const lanes = await Promise.all(
      Array.from({ length: this.#protocol.lanes }, (_, at) => open(this.#depsOf(seed + at))),
    );
    const pids = { server: this.#keyslot.pid, signer: signerPidOf(this.#keyslot.pid) };
    try {
      await this.#sendUntil(lanes, requests * WARM_UP);
      const warm = await this.#usedMiB();
      const stopWatch = watchMemory(pids);
      await this.#sendUntil(lanes, requests);
      const samples = stopWatch();
      const usedMiB = [warm, await this.#usedMiB()] as const;
      const grownMiB = Object.fromEntries(
        Object.entries(samples).map(([name, each]) => [name, inMiB(growthOf(each))]),
      );
      this.#judgeMemory(usedMiB, grownMiB);
      await this.#judgeServer(pids);
      const seconds = (performance.now() - this.#startedAtMs) / 1000;
      return {
        name: this.#protocol.name,
        requests: this.#sent,
        seconds,
        answers: this.#answers,
        usedMiB,
        grownMiB,
        faults: this.#faults,
      };
    } finally {
      await Promise.all(lanes.map((lane) => lane.close()));
    }
  }

  async #sendUntil(lanes: readonly Lane[], requests: number): Promise<void> {
    const { deadlineMs } = this.#run;
    await Promise.all(
      lanes.map(async (lane) => {
        while (this.#sent < requests && this.#faults.length < MAX_FAULTS) {
          if (performance.now() - this.#startedAtMs > deadlineMs) break;
          const sent = await lane.burst();
          this.#sent += sent;
        }
      }),
    );
    if (this.#sent < requests && this.#faults.length < MAX_FAULTS)
      this.#fault(`only ${this.#sent} of ${requests} requests were sent within ${deadlineMs} ms`);
  }

  #depsOf(seed: number): LaneDeps {
    return {
      random: randomOf(seed),
      count: (answer) => void this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + 1),
      fault: (what) => this.#fault(what),
    };
  }

  #fault(what: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(`${this.#protocol.name}: ${what}`);
  }

  /** After what ends by a deadline has ended. */
  async #usedMiB(): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return (await usedBytes({ keyslot: this.#keyslot })) / MIB;
  }

  #judgeMemory([warm, end]: readonly [number, number], grown: ProtocolResult['grownMiB']): void {
    if (end - warm > USED_BOUND_MIB)
      this.#fault(`memory in use grew from ${warm.toFixed(1)} to ${end.toFixed(1)} MiB`);
    for (const [name, mib] of Object.entries(grown)) {
      if (mib !== undefined && mib > RESIDENT_BOUND_MIB)
        this.#fault(`resident memory of the ${name} grew by ${mib.toFixed(0)} MiB`);
    }
  }

  async #judgeServer(pids: Readonly<Record<string, number>>): Promise<void> {
    for (const [name, pid] of Object.entries(pids)) if (!isRunning(pid)) this.#fault(`the ${name} is gone`);
    const ready = await fetch(`${this.#keyslot.baseUrl}/readyz`);
    if (!ready.ok) this.#fault(`/readyz answers ${ready.status}: ${await ready.text()}`);
    const lines = this.#keyslot.stderr().split('\n');
    for (const line of lines.filter((each) => BAD_LOG.test(each)).slice(0, 5))
      this.#fault(`the log has ${line}`);
  }
}

const inMiB = (bytes: number | undefined): number | undefined =>
  bytes === undefined ? undefined : bytes / MIB;
