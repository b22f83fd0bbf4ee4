import { AccountLink } from '../../../parts/account-link.tsx';
import type { Network } from '../../../parts/networks.ts';
import { ParsedValue } from '../parsed-value.tsx';
import type { DescribedInstruction } from './describe-instruction.ts';

type InstructionsProps = {
  readonly network: Network;
  readonly instructions: readonly DescribedInstruction[];
};

/** Instructions in their order, with those that they called. */
export function Instructions({ network, instructions }: InstructionsProps) {
  return (
    <ol className="steps">
      {instructions.map(({ program, programId, type, members, inner }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: instructions are alike and never change places.
        <li key={index} className="step">
          <div className="step-head">
            <span className="muted number">{index + 1}</span>
            <strong>{type === undefined ? program : `${program}: ${type}`}</strong>
            <AccountLink network={network} address={programId} noun="program" hasCopy={false} />
          </div>
          <ParsedValue network={network} value={members} />
          {inner.length > 0 && <Instructions network={network} instructions={inner} />}
        </li>
      ))}
    </ol>
  );
}
