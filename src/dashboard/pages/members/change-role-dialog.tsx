import { useMutation } from '@tanstack/react-query';
import type { Member } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { RoleChoices } from './role-choices.tsx';
import { isRole } from './role-texts.ts';

type ChangeRoleDialogProps = {
  readonly member: Member;
  readonly onChanged: () => void;
  readonly onClose: () => void;
};

/** Gives a member another role. */
export function ChangeRoleDialog({ member, onChanged, onClose }: ChangeRoleDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (body: Parameters<typeof account.changeRole>[1]) =>
      withFreshFactor(() => account.changeRole(member.member_id, body)),
    onSuccess: onChanged,
  });
  return (
    <Dialog
      title={`Role of ${member.name}`}
      description="It counts from the next request of the member on."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const role = readForm(event.currentTarget, 'role');
          if (isRole(role)) change.mutate({ role });
        }}
      >
        <RoleChoices chosen={member.role} />
        <ErrorNotice error={change.error} operation={['Members', 'changeRole']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Change the role
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
