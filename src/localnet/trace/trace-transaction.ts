import type { TracedCall, TransactionTrace } from '../../../generated/localnet/types.ts';
import { encodeBase64 } from '../bytes/base64.ts';
import type { InnerInstructions } from '../model.ts';
import type { DecodedTransaction } from '../../wire/message.ts';
import { callStatus, type Ending } from './call-status.ts';
import { attachLogs, type Call, callTree } from './call-tree.ts';
import { callUnits } from './call-units.ts';
import { explainFailure } from './explain-failure.ts';
import { readLogs } from './log-calls.ts';
import { newBudget } from './idl/decode-args.ts';
import { type Idls, nameCall, type Naming } from './name-call.ts';
import { type AccountSources, tracedAccounts } from './traced-accounts.ts';

/** A transaction that landed or was simulated, with what the runtime told of it. */
export type TransactionRun = Omit<AccountSources, 'message'> &
  Ending &
  Pick<TransactionTrace, 'kind' | 'slot' | 'fee'> & {
    readonly transaction: DecodedTransaction;
    readonly logs: readonly string[];
    readonly innerInstructions: readonly InnerInstructions[];
    readonly units: bigint;
  };

/** Explains a transaction: its calls as a tree, its accounts before and after, and the failing call in words. */
export function traceTransaction(run: TransactionRun, idls: Idls): TransactionTrace {
  const { kind, transaction, slot, err, fee, units, keys } = run;
  const { message } = transaction;
  const logged = readLogs(run.logs);
  const tree = attachLogs(callTree(message.instructions, run.innerInstructions, keys), logged.calls);
  const naming = { idls, budget: newBudget() };
  const calls = tree.map((call, index) => traced(call, { index, keys, naming, ending: run }));
  const told = calls.reduce((sum, { computeUnits }) => sum + (computeUnits ?? 0n), 0n);
  return {
    ...{ kind, signature: transaction.signatures[0] ?? '', slot, err },
    failure: explainFailure(calls, run, idls),
    ...{ fee, computeUnits: units, unattributedComputeUnits: units > told ? units - told : 0n },
    logsCut: logged.isCut,
    statesKept: run.states !== undefined,
    calls,
    accounts: tracedAccounts({ ...run, message }),
  };
}

type Scene = {
  /** The instruction of the message that the call belongs to. */
  readonly index: number;
  readonly keys: readonly string[];
  readonly naming: Naming;
  readonly ending: Ending;
};

function traced(call: Call, scene: Scene): TracedCall {
  const { path, programId, instruction, logged } = call;
  const status = callStatus(call, scene.index, scene.ending);
  const calls = call.calls.map((each) => traced(each, scene));
  const computeUnits = status === 'notRun' ? 0n : callUnits(call);
  return {
    ...{
      path,
      programId,
      ...nameCall(call, scene.keys, scene.naming),
      data: encodeBase64(instruction.data),
      status,
    },
    error: typeof logged?.end === 'object' ? logged.end.failed : null,
    ...{ computeUnits, ownComputeUnits: ownUnits(computeUnits, calls) },
    logs: [...(logged?.lines ?? [])],
    returnData: logged?.returnData ?? null,
    calls,
  };
}

function ownUnits(units: bigint | null, calls: readonly TracedCall[]): bigint | null {
  let own = units;
  for (const { computeUnits } of calls)
    own = own === null || computeUnits === null ? null : own - BigInt(computeUnits);
  return own;
}
