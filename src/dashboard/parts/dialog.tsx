import { Close, Content, Description, Overlay, Portal, Root, Title } from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { createFocusReturn } from './focus-return.ts';
import { Icon } from './icon.tsx';
import './dialog.css';

type DialogProps = {
  readonly title: string;
  readonly description?: string;
  readonly onClose: () => void;
  /** True: neither Escape nor a click beside it closes the dialog, because what it shows is not shown again. */
  readonly isSticky?: boolean;
  readonly children: ReactNode;
};

/** A dialog that is open as long as it is rendered. It keeps the focus inside, and gives it back when it closes. */
export function Dialog({ title, description, onClose, isSticky = false, children }: DialogProps) {
  const [returnFocus] = useState(createFocusReturn);
  const stay = (event: Event): void => {
    if (isSticky) event.preventDefault();
  };
  return (
    <Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Portal>
        <Overlay className="dialog-shade" />
        <Content
          className="dialog"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            returnFocus();
          }}
          onEscapeKeyDown={stay}
          onPointerDownOutside={stay}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <header className="dialog-head">
            <Title>{title}</Title>
            {!isSticky && (
              <Close className="icon-button">
                <Icon name="close" />
                <span className="only-read">Close</span>
              </Close>
            )}
          </header>
          {description !== undefined && <Description className="muted">{description}</Description>}
          {children}
        </Content>
      </Portal>
    </Root>
  );
}
