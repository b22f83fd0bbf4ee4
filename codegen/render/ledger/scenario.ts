import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { docComment, HEADER, memberName } from '../../text.ts';

/** contract/ledger/scenario.ts: the values that the contract run has to provide. */
export const renderScenario = ({ scenario }: LedgerModel): Files => ({
  'contract/ledger/scenario.ts': `${HEADER}
/** The values that a contract run puts in the place of \`$name\` in the params of its cases. */
export type ScenarioValues<T> = {
${Object.entries(scenario)
  .map(([name, text]) => `${docComment(text)}readonly ${memberName(name)}: T;\n`)
  .join('')}};

export type ScenarioName = keyof ScenarioValues<unknown>;
`,
});
