import { Drawer, Modal } from '@mantine/core';

export { Drawer, Modal };
