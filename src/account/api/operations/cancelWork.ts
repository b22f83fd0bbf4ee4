import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { cancelWork as cancel } from '../../service-level/planned-work.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { toPlannedWorkView } from '../planned-work-view.ts';
import { isUuid } from '../uuid.ts';

/** `DELETE /account/v1/operator/planned-work/{id}`. */
export const cancelWork: AccountHandler<OperationContext, 'cancelWork'> = async (context, { id }) => {
  if (!isUuid(id)) throw serviceError('plannedWorkNotFound', { id });
  const deps = { store: context.store, record: recordChange(context, 'cancelwork') };
  return { kind: 'json', body: toPlannedWorkView(await cancel(deps, id, context.clock.nowMs())) };
};
