import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { listWork } from '../../service-level/planned-work.ts';
import type { OperationContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { toPlannedWorkView } from '../planned-work-view.ts';

/** `GET /account/v1/operator/planned-work`: work of the last months and later. */
export const listPlannedWork: AccountHandler<OperationContext, 'listPlannedWork'> = async (context) => {
  const works = await listWork(context.store, context.clock.nowMs());
  await recordRead(context, 'listplannedwork');
  return { kind: 'json', body: { planned_work: works.map(toPlannedWorkView) } };
};
