export { type CuttableProxy, startCuttableProxy } from '@mailroom/handler-kit/support';
