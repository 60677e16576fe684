export { compileCache } from '@mailroom/handler-kit/support';
