import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { PlanSelect } from '../plan-select.tsx';
import type { AccountDialogProps } from './account-dialog.ts';

/** Sets the plan of an account. */
export function ChangePlanDialog({ shown, onChanged, onClose }: AccountDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (plan: string) => withFreshFactor(() => account.setAccountPlan(shown.account_id, { plan })),
    onSuccess: onChanged,
  });
  return (
    <FormDialog
      title={`Plan of ${shown.name}`}
      description="It applies from the next request on, in every process of the server."
      action="Change the plan"
      call={change}
      operation={['Operators', 'setAccountPlan']}
      onSubmit={(form) => change.mutate(readForm(form, 'plan'))}
      onClose={onClose}
    >
      <PlanSelect chosen={shown.plan.name} />
    </FormDialog>
  );
}
