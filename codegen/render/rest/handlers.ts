import type { Files } from '../../area.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { namesOf } from '../../model/rest/service.ts';
import { HEADER, quote } from '../../text.ts';

/** handlers.ts: the types that make the compiler count the operations, derived from the contract. */
export const renderHandlers = ({ service }: RestModel): Files => {
  const { folder, prefix } = service;
  const contract = `${namesOf(service).lower}Contract`;
  return {
    [`${folder}/handlers.ts`]: `${HEADER}import type { RestAnswer, RestRequest } from '../../runtime/rest-operation.ts';
import type { ${contract} } from './contract.ts';
import type { OperationId } from './operations.ts';

type Contract = typeof ${contract};

/** A request that has passed: its caller, its limit and its body are good. */
export type ${prefix}Request<O extends OperationId> = RestRequest<Contract[O]>;

/** The answer of each operation when it succeeds. */
export type ${prefix}Answers = { readonly [O in OperationId]: RestAnswer<Contract[O]> };

/** Answers one operation. \`C\` is what it works on. Refusals are thrown. */
export type ${prefix}Handler<C, O extends OperationId> = (
  context: C,
  request: ${prefix}Request<O>,
) => Promise<${prefix}Answers[O]>;

/** One handler for every operation. */
export type ${prefix}Handlers<C> = { readonly [O in OperationId]: ${prefix}Handler<C, O> };
`,
  };
};

/** <service>-handlers.ts: the file of each operation in src/, with the type that counts them. */
export const renderRegister = ({ operations, service }: RestModel): Files => {
  const { folder, prefix } = service;
  const { lower, upper, contextFile, handlersFolder } = namesOf(service);
  return {
    [`${folder}/${lower}-handlers.ts`]: `${HEADER}import type { ${prefix}Context } from '../../${contextFile}';
${operations.map(({ id }) => `import { ${id} } from ${quote(`../../${handlersFolder}/${id}.ts`)};\n`).join('')}import type { ${prefix}Handlers } from './handlers.ts';

/** The handler of each operation. */
export const ${upper}_HANDLERS: ${prefix}Handlers<${prefix}Context> = {
${operations.map(({ id }) => `${id},\n`).join('')}};
`,
  };
};
