export { permutations } from '@mailroom/handler-kit';
