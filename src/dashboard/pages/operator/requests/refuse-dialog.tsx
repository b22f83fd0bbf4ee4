import { useMutation } from '@tanstack/react-query';
import type { OperatedLimitRequest } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';

type RefuseDialogProps = {
  readonly request: OperatedLimitRequest;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Refuses a request for a higher limit, with a reason. */
export function RefuseDialog({ request, onDone, onClose }: RefuseDialogProps) {
  const withFreshFactor = useFreshCall();
  const refuse = useMutation({
    mutationFn: (reason: string) =>
      withFreshFactor(() => account.refuseLimitRequest(request.limit_request_id, { reason })),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={`Refuse the request of ${request.account}`}
      action="Refuse the request"
      kind="danger"
      call={refuse}
      operation={['Operators', 'refuseLimitRequest']}
      onSubmit={(form) => refuse.mutate(readForm(form, 'reason').trim())}
      onClose={onClose}
    >
      <Field
        name="reason"
        label="Reason"
        hint="The account reads it, such as: ask again in May."
        maxLength={500}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}
