import type { Files } from '../area.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { ProcessModel } from '../model/process.ts';
import { docComment, HEADER, literal, memberName } from '../text.ts';

/** plans.ts: plans, limits and prices as data; descriptions become comments. */
export const renderPlans = ({ plans }: ProcessModel): Files => ({
  'plans.ts': `${HEADER}
/** Plans, limits and prices; money in integer micro-USD. Defaults: rows in the store decide. */
export const PLANS = ${value(plans)} as const;
`,
});

const value = (node: Json): string => {
  if (!isJsonObject(node)) return literal(node);
  const members = Object.entries(node).filter(([name]) => name !== 'description');
  return `{\n${members.map(([name, child]) => `${docComment(descriptionOf(child))}${memberName(name)}: ${value(child)},\n`).join('')}}`;
};

const descriptionOf = (node: Json): string | undefined =>
  isJsonObject(node) && typeof node.description === 'string' ? node.description : undefined;
