import { useMutation } from '@tanstack/react-query';
import type { ListedPlan } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';

type PlanDialogProps = {
  /** The plan that is changed; absent: a new one. */
  readonly plan?: ListedPlan;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

const MOST = 1_000_000;

/** Creates or changes a plan. */
export function PlanDialog({ plan, onDone, onClose }: PlanDialogProps) {
  const withFreshFactor = useFreshCall();
  const put = useMutation({
    mutationFn: (body: Parameters<typeof account.putPlan>[0]) => withFreshFactor(() => account.putPlan(body)),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={plan === undefined ? 'Create a plan' : `Plan ${plan.name}`}
      description="It applies from the next request on, to every account that has it, in every process of the server."
      action={plan === undefined ? 'Create' : 'Save'}
      call={put}
      operation={['Operators', 'putPlan']}
      onSubmit={(form) =>
        put.mutate({
          name: plan?.name ?? readForm(form, 'name').trim(),
          requests_per_second: Number(readForm(form, 'rate')),
          burst: Number(readForm(form, 'burst')),
        })
      }
      onClose={onClose}
    >
      {plan === undefined && (
        <Field
          name="name"
          label="Name"
          hint="Lower-case letters, digits, _ and -, such as gold."
          pattern="[a-z0-9][a-z0-9_\-]*"
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          required
        />
      )}
      <Field
        name="rate"
        type="number"
        label="Weight a second, on average"
        min={1}
        max={MOST}
        step={1}
        defaultValue={plan?.requests_per_second}
        required
      />
      <Field
        name="burst"
        type="number"
        label="Weight at once"
        hint="At least the weight a second, and that of the heaviest call."
        min={1}
        step={1}
        defaultValue={plan?.burst}
        required
      />
    </FormDialog>
  );
}
