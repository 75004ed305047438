autocmd BufNewFile,BufRead *.lq setfiletype lq
